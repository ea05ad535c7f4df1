import FoundationEssentials

/// Writes the compact serialisation of a JWS (RFC 7515 §7.1).
package enum CompactText {
    /// Base64url without padding (RFC 7515 §2).
    package static func base64URL(_ bytes: some Sequence<UInt8>) -> String {
        var text = ""
        for character in Data(bytes).base64EncodedString().unicodeScalars {
            switch character {
            case "+": text.unicodeScalars.append("-")
            case "/": text.unicodeScalars.append("_")
            case "=": break
            default: text.unicodeScalars.append(character)
            }
        }
        return text
    }

    /// The JOSE header as the App Store writes it: `alg` and `x5c` only.
    package static func header(certificates: [[UInt8]]) -> SimulatedPayload {
        SimulatedPayload([
            ("alg", .string("ES256")),
            ("x5c", .array(certificates.map { .string(Data($0).base64EncodedString()) })),
        ])
    }
}

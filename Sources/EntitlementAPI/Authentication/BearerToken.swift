import Entitlements
import StrictJSON

/// A compact JWT as it was sent: read, nothing checked.
struct BearerToken {
    /// Longest text that is looked at.
    static let maximumBytes = 8 * 1024

    let algorithm: String?
    let kid: String?
    /// The signed bytes: header and claims as they stand.
    let signedText: [UInt8]
    let signature: [UInt8]
    let claims: JSONValue

    /// - Throws: ``BearerRefusal/invalid(_:)`` unless it is three segments of base64url around two strict JSON objects,
    ///   and for header members that would change how it must be read.
    init(_ text: String) throws(BearerRefusal) {
        let bytes = Array(text.utf8)
        guard bytes.count <= Self.maximumBytes else { throw .invalid("The token is too long.") }
        let segments = bytes.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        guard segments.count == 3, let signature = Base64URL.decode(segments[2]),
            let header = Self.object(segments[0]), let claims = Self.object(segments[1])
        else { throw .invalid("The token is not a compact JWT.") }
        guard header["crit"] == nil, header["b64"] == nil, header["zip"] == nil else {
            throw .invalid("The token's header asks for something that is not supported.")
        }
        algorithm = header["alg"]?.string
        kid = header["kid"]?.string
        signedText = Array(bytes[..<(segments[1].endIndex)])
        self.signature = signature
        self.claims = claims
    }

    private static func object(_ segment: ArraySlice<UInt8>) -> JSONValue? {
        // Lost: where the text is not JSON.
        guard let bytes = Base64URL.decode(segment), let json = try? StrictJSON(bytes) else { return nil }
        let value = JSONValue(json)
        return value.isObject ? value : nil
    }
}

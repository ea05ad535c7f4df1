import AppStore
import Crypto
import FoundationEssentials
import StoreSimulator

extension HostileMint {
    /// Attacks on the signature (`threats.md` T11, T12).
    func signatures() throws -> [HostileVector] {
        try flippedSignatures() + signatureShapes() + signatureNumbers() + foreignSignatures()
    }

    private func signed(_ signature: some Sequence<UInt8>) throws -> String {
        let parts = try segments()
        return "\(parts[0]).\(parts[1])." + CompactText.base64URL(signature)
    }

    /// The signing input of an accepted text, and its signature.
    private func input() throws -> (bytes: [UInt8], signature: P256.Signing.ECDSASignature) {
        let parts = try segments()
        let bytes = Array("\(parts[0]).\(parts[1])".utf8)
        return (bytes, try authority.leafKey.signature(for: bytes))
    }

    private func flippedSignatures() throws -> [HostileVector] {
        let raw = Array(try input().signature.rawRepresentation)
        return family(
            "bit of the signature", .signatureMismatch,
            try raw.indices.map { place in
                var flipped = raw
                flipped[place] ^= 1 << UInt8(place % 8)
                return ("byte \(place)", try signed(flipped))
            })
    }

    private func signatureShapes() throws -> [HostileVector] {
        let signature = try input().signature
        let raw = Array(signature.rawRepresentation)
        let shapes: [(String, [UInt8])] = [
            ("none", []), ("one byte", [1]), ("r alone", Array(raw.prefix(32))), ("63 bytes", raw.dropLast()),
            ("a byte less in front", Array(raw.dropFirst())),
            ("a byte more", raw + [0]), ("a byte more in front", [0] + raw),
            ("72 bytes", raw + [UInt8](repeating: 0, count: 8)),
            ("96 bytes", raw + raw.prefix(32)), ("twice", raw + raw), ("132 bytes", [UInt8](repeating: 7, count: 132)),
            ("in DER", Array(signature.derRepresentation)), ("s before r", Array(raw.suffix(32) + raw.prefix(32))),
            ("in hexadecimal", Array(raw.map { String($0, radix: 16) }.joined().utf8)),
            ("both reversed", raw.reversed()),
        ]
        return family("shape of the signature", .signatureMismatch, try shapes.map { ($0.0, try signed($0.1)) })
    }

    private func signatureNumbers() throws -> [HostileVector] {
        let raw = Array(try input().signature.rawRepresentation)
        let (r, s) = (Array(raw.prefix(32)), Array(raw.suffix(32)))
        let zero = [UInt8](repeating: 0, count: 32)
        let one: [UInt8] = zero.dropLast() + [1]
        let most = [UInt8](repeating: 0xFF, count: 32)
        let numbers: [(String, [UInt8], [UInt8])] = [
            ("r = 0", zero, s), ("s = 0", r, zero), ("r = s = 0", zero, zero), ("r = n", Self.order, s),
            ("s = n", r, Self.order),
            ("r = s = n", Self.order, Self.order), ("r = 1", one, s), ("s = 1", r, one), ("r = s = 1", one, one),
            ("r beyond n", most, s),
            ("s beyond n", r, most), ("r = s", r, r), ("r = n - 1", Self.order.dropLast() + [0x50], s),
            ("-r", Self.negated(r), s),
            ("-r, -s", Self.negated(r), Self.negated(s)),
        ]
        return family(
            "numbers of the signature", .signatureMismatch, try numbers.map { ($0.0, try signed($0.1 + $0.2)) })
    }

    /// The order of P-256.
    package static let order: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xBC, 0xE6,
        0xFA, 0xAD, 0xA7, 0x17, 0x9E,
        0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
    ]

    /// The order less a number, big endian: with it for `s` a signature stays valid.
    package static func negated(_ number: [UInt8]) -> [UInt8] {
        var borrow = 0
        var result = order
        for place in number.indices.reversed() {
            let difference = Int(order[place]) - Int(number[place]) - borrow
            borrow = difference < 0 ? 1 : 0
            result[place] = UInt8(truncatingIfNeeded: difference)
        }
        return result
    }

    private func foreignSignatures() throws -> [HostileVector] {
        let parts = try segments()
        let bytes = try input().bytes
        let key = authority.leafKey
        let other = try sign(changed("transactionId", .string("2000001027701930"))).split(separator: ".").map(
            String.init)
        func by(_ sign: () throws -> P256.Signing.ECDSASignature) throws -> String {
            try signed(sign().rawRepresentation)
        }
        return family(
            "signature of something else", .signatureMismatch,
            [
                ("of another transaction", "\(parts[0]).\(parts[1]).\(other[2])"),
                ("of the header", try by { try key.signature(for: Array(parts[0].utf8)) }),
                ("of the payload segment", try by { try key.signature(for: Array(parts[1].utf8)) }),
                ("of the payload", try by { try key.signature(for: Array(payload.json.utf8)) }),
                ("without the dot", try by { try key.signature(for: Array((parts[0] + parts[1]).utf8)) }),
                ("with a dot behind", try by { try key.signature(for: bytes + [0x2E]) }),
                ("over SHA-384", try by { try key.signature(for: SHA384.hash(data: bytes)) }),
                ("over SHA-512", try by { try key.signature(for: SHA512.hash(data: bytes)) }),
                ("over SHA-256 twice", try by { try key.signature(for: Array(SHA256.hash(data: bytes))) }),
                ("by another key", try by { try P256.Signing.PrivateKey().signature(for: bytes) }),
                (
                    "by the intermediate",
                    try signed(try authority.intermediateKey.signature(for: bytes).rawRepresentation)
                ),
                ("of nothing", try by { try key.signature(for: [UInt8]()) }),
            ])
    }

    /// Genuine texts with a member, the header or a segment exchanged (`threats.md` T12).
    func alterations() throws -> [HostileVector] {
        let parts = try sign(fullPayload).split(separator: ".").map(String.init)
        let members = fullPayload.members
        let alteredPayloads = members.map { name, value in
            var payload = fullPayload
            payload[name] = Self.altered(name, value)
            return ("another \(name)", "\(parts[0]).\(CompactText.base64URL(payload.json.utf8)).\(parts[2])")
        }
        let removed = [
            "revocationDate", "revocationType", "revocationPercentage", "expiresDate", "appAccountToken", "isUpgraded",
        ].map { name in
            var payload = fullPayload
            payload[name] = nil
            return ("without \(name)", "\(parts[0]).\(CompactText.base64URL(payload.json.utf8)).\(parts[2])")
        }
        let rewritten = [
            ("the payload with a blank", " " + fullPayload.json),
            ("the payload with a line feed", fullPayload.json + "\n"),
            ("the payload with a member more", fullPayload.json.dropLast() + #","x":1}"#),
        ].map { ($0.0, "\(parts[0]).\(CompactText.base64URL($0.1.utf8)).\(parts[2])") }
        let spaced = header.json.replacing(",", with: ", ")
        let headers: [(String, String)] = [
            ("a member more", header.json.dropLast() + #","kid":"x"}"#), ("a blank", " " + header.json),
            ("blanks inside", spaced),
            (
                "another third certificate",
                CompactText.header(certificates: [certificates[0], certificates[1], certificates[1]]).json
            ),
            ("members in another order", SimulatedPayload(header.members.reversed()).json),
            ("escaped slashes", header.json.replacing("/", with: #"\/"#)),
            ("an escaped name", header.json.replacing(#""alg""#, with: #""\u0061lg""#)),
        ]
        return family("altered payload", .signatureMismatch, alteredPayloads + removed + rewritten)
            + family(
                "altered header", .signatureMismatch,
                headers.map { ($0.0, "\(CompactText.base64URL($0.1.utf8)).\(parts[1]).\(parts[2])") })
            + family(
                "exchanged segment", .signatureMismatch,
                [
                    ("the payload is the header", "\(parts[0]).\(parts[0]).\(parts[2])"),
                    ("the payload is empty", "\(parts[0])..\(parts[2])"),
                    ("the payload of another text", "\(parts[0]).\(try segments()[1]).\(parts[2])"),
                    (
                        "the payload is base64url twice",
                        "\(parts[0]).\(CompactText.base64URL(parts[1].utf8)).\(parts[2])"
                    ),
                ])
    }

    /// Another value of the same type, still plausible.
    private static func altered(_ name: String, _ value: SimulatedPayload.Value) -> SimulatedPayload.Value {
        switch value {
        case .string(let text): .string(name == "environment" ? "Production" : text + "0")
        case .integer(let integer): .integer(integer + 1)
        case .boolean(let boolean): .boolean(!boolean)
        case .array, .object, .verbatim: .verbatim("null")
        }
    }
}

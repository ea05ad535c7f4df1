import AppStore
import Crypto
import FoundationEssentials
import StoreSimulator

extension HostileMint {
    /// Attacks on the envelope: segments and base64url (`threats.md` T11).
    func envelopes() throws -> [HostileVector] {
        try segmentCounts() + spellings() + trailingBits()
    }

    private func segmentCounts() throws -> [HostileVector] {
        let parts = try segments()
        let (head, body, signature) = (parts[0], parts[1], parts[2])
        return family(
            "segments", .malformed,
            [
                ("nothing", ""), ("a dot", "."), ("two dots", ".."), ("three dots", "..."), ("header alone", head),
                ("signedData", "\(head).\(body)"), ("signedData with a dot", ".\(head).\(body)"),
                ("header missing", ".\(body).\(signature)"), ("a fourth, empty", "\(head).\(body).\(signature)."),
                ("a first, empty", ".\(head).\(body).\(signature)"),
                ("a fourth", "\(head).\(body).\(signature).\(signature)"),
                ("five, as in JWE", "\(head).\(body).\(signature).\(body).\(body)"),
                ("a dot in the header", "\(head.prefix(100)).\(head.dropFirst(100)).\(body).\(signature)"),
                ("separated by commas", "\(head),\(body),\(signature)"),
                ("separated by blanks", "\(head) \(body) \(signature)"),
                (
                    "the JSON serialisation",
                    #"{"protected":"\#(head)","payload":"\#(body)","signature":"\#(signature)"}"#
                ),
                ("quoted", "\"\(head).\(body).\(signature)\""),
                ("with a scheme", "Bearer \(head).\(body).\(signature)"),
                ("two texts in a row", "\(head).\(body).\(signature)\(head).\(body).\(signature)"),
            ])
    }

    private func spellings() throws -> [HostileVector] {
        let parts = try segments()
        let insertions = [
            ("a blank", " "), ("a line feed", "\n"), ("a carriage return", "\r"), ("a tab", "\t"), ("a NUL", "\0"),
            ("a plus", "+"),
            ("a slash", "/"), ("an equals sign", "="), ("a percent sign", "%"), ("a letter beyond ASCII", "é"),
            ("a full-width letter", "Ａ"), ("a backslash", "\\"),
        ]
        var vectors: [(String, String)] = []
        for (place, segment) in ["header", "payload", "signature"].enumerated() {
            let middle = parts[place].count / 8 * 4
            for (name, character) in insertions {
                for (where_, offset) in [("before", 0), ("inside", middle), ("behind", parts[place].count)] {
                    var parts = parts
                    let text = parts[place]
                    parts[place] = text.prefix(offset) + character + text.dropFirst(offset)
                    vectors.append(("\(name) \(where_) the \(segment)", parts.joined(separator: ".")))
                }
            }
            var padded = parts
            padded[place] += parts[place].count % 4 == 2 ? "==" : "===="
            vectors.append(("the \(segment) padded", padded.joined(separator: ".")))
            var short = parts
            short[place] = String(parts[place].dropLast(parts[place].count % 4) + "A")
            vectors.append(("the \(segment) of impossible length", short.joined(separator: ".")))
        }
        return family("spelling of base64url", .malformed, vectors)
    }

    /// All other spellings of the last character: its unused bits must be zero.
    private func trailingBits() throws -> [HostileVector] {
        var vectors: [(String, String)] = []
        for (place, segment) in ["header", "payload", "signature"].enumerated() {
            for filler in 0..<3 {
                let blanks = String(repeating: " ", count: filler)
                let text = try sign(
                    header: Array((header.json + (place == 0 ? blanks : "")).utf8),
                    payload: Array((payload.json + (place == 1 ? blanks : "")).utf8))
                var parts = text.split(separator: ".").map(String.init)
                let unused = [0, 0, 4, 2][parts[place].count % 4]
                guard unused > 0, place < 2 || filler == 0, let last = parts[place].last.flatMap(Self.value(of:)) else {
                    continue
                }
                let original = parts[place]
                for bits in 1..<(1 << unused) {
                    parts[place] = original.dropLast() + String(Self.alphabet[last | bits])
                    vectors.append(
                        ("\(segment) of \(original.count) characters, \(bits)", parts.joined(separator: ".")))
                }
            }
        }
        return family("trailing bits", .malformed, vectors)
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")

    private static func value(of character: Character) -> Int? {
        alphabet.firstIndex(of: character)
    }
}

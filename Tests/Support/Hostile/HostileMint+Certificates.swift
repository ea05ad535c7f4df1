import AppStore
import Crypto
import FoundationEssentials
import StoreSimulator
import SwiftASN1
import X509

extension HostileMint {
    /// Attacks on `x5c` as a list and on what its entries are (`threats.md` T6, T7).
    func certificateLists() throws -> [HostileVector] {
        try certificateCounts() + entryTypes() + entrySpellings() + entryEncodings()
    }

    private func listed(_ value: SimulatedPayload.Value?) throws -> String {
        var header = self.header
        header["x5c"] = value
        return try sign(header: header, payload)
    }

    private var entries: [SimulatedPayload.Value] {
        certificates.map { .string(Data($0).base64EncodedString()) }
    }

    private func certificateCounts() throws -> [HostileVector] {
        let (leaf, intermediate, root) = (entries[0], entries[1], entries[2])
        let lists: [(String, [SimulatedPayload.Value])] = [
            ("none", []), ("one", [leaf]), ("two", [leaf, intermediate]), ("leaf and root", [leaf, root]),
            ("four, the root twice", [leaf, intermediate, root, root]),
            ("four, the leaf twice", [leaf, leaf, intermediate, root]),
            ("four, one empty", [leaf, intermediate, root, .string("")]),
            ("four, one null", [leaf, intermediate, root, .verbatim("null")]),
            ("five", [leaf, intermediate, root, intermediate, root]),
            ("a hundred", [leaf, intermediate, root] + Array(repeating: .string(""), count: 97)),
            ("a thousand", Array(repeating: .string(""), count: 1000)),
        ]
        let others = ["null", "0", "true", "\"\"", "{}", #"{"0":"","1":"","2":""}"#, "[[\"\",\"\",\"\"]]"]
        var vectors = try lists.map { ($0.0, try listed(.array($0.1))) }
        vectors += try others.map { ("x5c is \($0)", try listed(.verbatim($0))) }
        vectors += [("no x5c", try listed(nil)), ("x5c is one string", try listed(leaf))]
        for name in ["X5C", "x5c ", "x5cwrong", "x5t"] {
            var header = self.header
            header["x5c"] = nil
            header[name] = .array(entries)
            vectors.append(("\(name) instead of x5c", try sign(header: header, payload)))
        }
        return family("number of certificates", .certificateCount, vectors)
    }

    private func entryTypes() throws -> [HostileVector] {
        var vectors: [(String, String)] = []
        for place in 0..<3 {
            for value in ["null", "0", "false", "[]", "{}", "[\"x\"]"] {
                var entries = self.entries
                entries[place] = .verbatim(value)
                vectors.append(("entry \(place) is \(value)", try listed(.array(entries))))
            }
        }
        return family("certificate of another type", .certificateMalformed, vectors)
    }

    private func entrySpellings() throws -> [HostileVector] {
        var vectors: [(String, String)] = []
        for place in 0..<2 {
            let text = Data(certificates[place]).base64EncodedString()
            let bare = String(text.prefix { $0 != "=" })
            let spellings: [(String, String)] = [
                ("empty", ""), ("abc", "abc"), ("123", "123"),
                ("in base64url", text.replacing("+", with: "-").replacing("/", with: "_")),
                ("with a line feed", text.prefix(64) + "\n" + text.dropFirst(64)), ("with a blank before", " " + text),
                ("with a blank behind", text + " "), ("with a CR LF behind", text + "\r\n"),
                ("padded too much", text + "===="),
                ("padded in the middle", text.prefix(64) + "====" + text.dropFirst(64)),
                ("one character short", String(text.dropFirst())),
                ("as PEM", "-----BEGIN CERTIFICATE-----\n\(text)\n-----END CERTIFICATE-----"),
                ("as a data URL", "data:;base64," + text), ("twice", text + text),
                ("in hexadecimal", certificates[place].map { String($0, radix: 16) }.joined()),
                ("in base64 twice", Data(text.utf8).base64EncodedString()),
                ("with a full-width letter", "Ｍ" + text.dropFirst()),
                ("with a NUL", text + "\0"), ("of pad characters", "===="),
            ]
            let unpadded = bare == text ? [] : [("without padding", bare)]
            for (name, spelling) in spellings + unpadded {
                guard spelling != text else { continue }
                var entries = self.entries
                entries[place] = .string(spelling)
                vectors.append(("entry \(place) \(name)", try listed(.array(entries))))
            }
        }
        return family("spelling of a certificate", .certificateMalformed, vectors)
    }

    private func entryEncodings() throws -> [HostileVector] {
        var vectors: [(String, String)] = []
        for place in 0..<2 {
            let der = certificates[place]
            var flipped = der
            flipped[0] ^= 1
            var indefinite = der
            indefinite.replaceSubrange(0..<4, with: [0x30, 0x80])
            let encodings: [(String, [UInt8])] = [
                ("one byte short", der.dropLast()), ("half", Array(der.prefix(der.count / 2))),
                ("one byte long", der + [0]),
                ("twice", der + der), ("of another tag", flipped), ("of indefinite length", indefinite + [0, 0]),
                ("an empty sequence", [0x30, 0x00]),
                ("a NULL", [0x05, 0x00]), ("a single byte", [0x30]), ("zeroes", [UInt8](repeating: 0, count: 600)),
                ("a length beyond the end", [0x30, 0x84, 0x7F, 0xFF, 0xFF, 0xFF]),
                ("a length in nine bytes", [0x30, 0x89] + [UInt8](repeating: 0xFF, count: 9)),
                ("deep sequences", Self.nested(400)), ("deeper sequences", Self.nested(1000)),
                ("wide sequences", Self.wide(1500)),
                ("a key", Array(authority.leafKey.publicKey.derRepresentation)),
                ("a private key", Array(authority.leafKey.derRepresentation)),
                ("text", Array("certificate".utf8)), ("larger than any", der + [UInt8](repeating: 0, count: 3200)),
                ("without its signature", [0x30, 0x82, 0x01, 0x00] + der.dropFirst(4).prefix(256)),
            ]
            for (name, encoding) in encodings {
                var certificates = self.certificates
                certificates[place] = encoding
                vectors.append(("entry \(place): \(name)", try sign(certificates: certificates)))
            }
            vectors += try brokenKeys(place)
        }
        return family("encoding of a certificate", .certificateMalformed, vectors)
    }

    /// The certificate with a point that is not on its curve, the point at infinity, or another curve.
    private func brokenKeys(_ place: Int) throws -> [(String, String)] {
        let key =
            place == 0
            ? Array(authority.leafKey.publicKey.x963Representation)
            : Array(authority.intermediateKey.publicKey.x963Representation)
        let der = certificates[place]
        guard let start = der.firstRange(of: key)?.lowerBound else { return [] }
        var offCurve = der
        offCurve[start + key.count - 1] ^= 1
        var infinite = der
        infinite.replaceSubrange(start..<(start + key.count), with: [UInt8](repeating: 0, count: key.count))
        var compressed = der
        compressed[start] = 0x05
        return try [
            ("a point off the curve", offCurve), ("no point", infinite), ("an unknown form of point", compressed),
        ].map { name, der in
            var certificates = self.certificates
            certificates[place] = der
            return ("entry \(place): \(name)", try sign(certificates: certificates))
        }
    }

    private static func nested(_ depth: Int) -> [UInt8] {
        var der: [UInt8] = []
        for _ in 0..<depth {
            let length: [UInt8] =
                der.count < 128 ? [UInt8(der.count)] : [0x82, UInt8(der.count >> 8), UInt8(der.count & 0xFF)]
            der = [0x30] + length + der
        }
        return der
    }

    private static func wide(_ count: Int) -> [UInt8] {
        let length = count * 2
        return [0x30, 0x82, UInt8(length >> 8), UInt8(length & 0xFF)]
            + Array(repeating: [0x30, 0x00] as [UInt8], count: count).joined()
    }
}

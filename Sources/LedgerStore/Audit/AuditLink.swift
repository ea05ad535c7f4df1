package import Entitlements

/// Where the trail stands: its last entry. Exported, it proves later that nothing before it was changed or cut off.
package struct AuditHead: Hashable, Sendable, CustomStringConvertible {
    package let length: UInt64
    package let lastAt: Instant
    package let hash: [UInt8]

    /// Before the first entry.
    package static let empty = AuditHead(
        length: 0, lastAt: Instant(milliseconds: 0), hash: [UInt8](repeating: 0, count: 32))

    /// `number:hash`, as it is exported.
    package var description: String { "\(length):\(Hexadecimal.text(hash))" }
}

/// An exported head: a number and a hash.
package struct ExportedAuditHead: Hashable, Sendable {
    package let length: UInt64
    package let hash: [UInt8]

    /// Nil unless `text` is of the form `number:hash`.
    package init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let length = UInt64(parts[0]), let hash = Hexadecimal.bytes(parts[1]),
            hash.count == AuditHead.empty.hash.count
        else { return nil }
        self.length = length
        self.hash = hash
    }
}

/// What the chain covers of an entry.
struct AuditLink: Hashable {
    let id: UInt64
    let at: Instant
    let actor: String
    let action: String
    let subject: UInt64?
    let otherSubject: UInt64?
    let detailsDigest: [UInt8]
    let previousHash: [UInt8]

    /// SHA-256 over all of it; the encoding never changes.
    var hash: [UInt8] {
        var encoder = FieldEncoder()
        encoder.append(previousHash)
        encoder.append(String(id))
        encoder.append(at.milliseconds)
        encoder.append(actor)
        encoder.append(action)
        encoder.append(subject)
        encoder.append(otherSubject)
        encoder.append(detailsDigest)
        return encoder.digest
    }
}

/// The words of an entry, which can be deleted; the salt goes with them, so the digest that stays tells nothing.
struct AuditNote: Hashable {
    let salt: [UInt8]
    let details: String
    let reason: String?

    var digest: [UInt8] {
        var encoder = FieldEncoder()
        encoder.append(salt)
        encoder.append(details)
        encoder.append(reason)
        return encoder.digest
    }
}

/// Bytes as digits, two a byte, in lower case.
package enum Hexadecimal {
    package static func text(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// Nil for anything but pairs of digits.
    package static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        let characters = Array(text.utf8)
        guard characters.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        for start in stride(from: 0, to: characters.count, by: 2) {
            guard let high = value(of: characters[start]), let low = value(of: characters[start + 1]) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

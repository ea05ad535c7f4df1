package import Entitlements

/// The head of the audit trail: its length, and the instant and hash of its last entry. An exported head proves later
/// that no entry up to it was changed or removed.
package struct AuditHead: Hashable, Sendable, CustomStringConvertible {
    package let length: UInt64
    package let lastAt: Instant
    package let hash: [UInt8]

    /// The head of an empty trail.
    package static let empty = AuditHead(
        length: 0, lastAt: Instant(milliseconds: 0), hash: [UInt8](repeating: 0, count: 32))

    /// The form in which a head is exported: `number:hash`.
    package var description: String { "\(length):\(Hexadecimal.text(hash))" }
}

/// An exported head: a number and a hash.
package struct ExportedAuditHead: Hashable, Sendable {
    package let length: UInt64
    package let hash: [UInt8]

    /// An exported head; nil unless `text` has the form `number:hash`.
    package init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let length = UInt64(parts[0]), let hash = Hexadecimal.bytes(parts[1]),
            hash.count == AuditHead.empty.hash.count
        else { return nil }
        self.length = length
        self.hash = hash
    }
}

/// The parts of an entry that its hash covers.
struct AuditLink: Hashable {
    let id: UInt64
    let at: Instant
    let actor: String
    let action: String
    let subject: UInt64?
    let otherSubject: UInt64?
    let detailsDigest: [UInt8]
    let previousHash: [UInt8]

    /// SHA-256 over all parts; the encoding never changes.
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

/// The details and the reason of an entry. They can be deleted together with their salt; the remaining digest then
/// reveals nothing.
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

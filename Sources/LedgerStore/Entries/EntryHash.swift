import Entitlements

/// The content of a ledger entry that its hash covers, as the entry's row stores it. The hash also covers the hash of
/// the entry before it.
///
/// A person is named only by pseudonym. The encoding never changes.
struct EntryHash {
    let pseudonym: UInt64
    let sequence: Int
    let recordedAt: Instant
    let effectiveAt: Instant
    let kind: String
    let isOwnAct: Bool
    /// The id of the row of the purchase that the entry is about.
    let purchase: UInt64?
    /// The id of the row of the signed state that the entry repeats.
    let state: UInt64?
    let content: String
    let note: [UInt8]?

    /// The SHA-256 of the entry. `previous` is the hash of the entry before it, 32 zero bytes for the first entry.
    func bytes(after previous: [UInt8]) -> [UInt8] {
        var encoder = FieldEncoder()
        encoder.append(previous)
        encoder.append(pseudonym)
        encoder.append(Int64(sequence))
        encoder.append(recordedAt.milliseconds)
        encoder.append(effectiveAt.milliseconds)
        encoder.append(kind)
        encoder.append(Int64(isOwnAct ? 1 : 0))
        encoder.append(purchase)
        encoder.append(state)
        encoder.append(content)
        if let note { encoder.append(note) }
        return encoder.digest
    }
}

import Entitlements

/// The hashed content of an entry, as its row holds it: the entry before it, its place, its times and all that it says.
///
/// A person stands in it by pseudonym alone. The encoding never changes.
struct EntryHash {
    let pseudonym: UInt64
    let sequence: Int
    let recordedAt: Instant
    let effectiveAt: Instant
    let kind: String
    let isOwnAct: Bool
    /// The row of the purchase that it is about.
    let purchase: UInt64?
    /// The row of the signed state that it repeats.
    let state: UInt64?
    let content: String
    let note: [UInt8]?

    /// SHA-256; `previous` is the hash of the entry before, and 32 zeros before the first.
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

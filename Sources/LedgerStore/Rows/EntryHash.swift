import Entitlements

/// What the hash of an entry covers, as its row holds it: the entry before it, its place, its times and all that it says.
///
/// It names no person but by pseudonym. The encoding never changes: a field is only ever added for entries that have it.
struct EntryHash {
    let pseudonym: UInt64
    let sequence: Int
    let recordedAt: Instant
    let effectiveAt: Instant
    let kind: String
    /// Of a signed state: its content's digest and when it was signed.
    let state: (contentHash: [UInt8], signedAt: Instant)?
    /// Of any other fact about a purchase.
    let key: PurchaseKey?
    let content: String?
    let noteHash: [UInt8]?

    /// SHA-256; `previous` is the hash of the entry before, and 32 zeros before the first.
    func bytes(after previous: [UInt8]) -> [UInt8] {
        var encoder = FieldEncoder()
        encoder.append(previous)
        encoder.append(Int64(bitPattern: pseudonym))
        encoder.append(Int64(sequence))
        encoder.append(recordedAt.milliseconds)
        encoder.append(effectiveAt.milliseconds)
        encoder.append(kind)
        if let state {
            encoder.append(state.contentHash)
            encoder.append(state.signedAt.milliseconds)
        } else if let key {
            encoder.append(key)
        }
        if content != nil || noteHash != nil {
            encoder.append(content)
            if let noteHash { encoder.append(noteHash) } else { encoder.append(String?.none) }
        }
        return encoder.digest
    }
}

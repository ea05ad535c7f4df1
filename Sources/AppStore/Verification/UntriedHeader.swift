import Crypto

/// A header that no text was accepted under yet, and the texts of a batch that stand under it.
struct UntriedHeader {
    let header: JWSHeader
    let digest: SHA256Digest
    /// The distinct ones, and their places in the batch.
    private(set) var texts: [(place: Int, jws: CompactJWS)] = []
    /// How many items these texts are.
    private var items = 0

    init(_ header: JWSHeader, digest: SHA256Digest) {
        self.header = header
        self.digest = digest
    }

    /// Adds a text that is so many items of the batch.
    mutating func add(_ text: CompactJWS, at place: Int, items: Int) {
        texts.append((place, text))
        self.items += items
    }

    /// Which of two is tried first, whatever the order of items: that of more items, then that of the smaller digest.
    func precedes(_ other: UntriedHeader) -> Bool {
        guard items == other.items else { return items > other.items }
        return digest.lexicographicallyPrecedes(other.digest)
    }
}

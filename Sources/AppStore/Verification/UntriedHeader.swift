import Crypto

/// A header under which no text was verified yet, and the texts of a batch that have this header.
struct UntriedHeader {
    let header: JWSHeader
    let digest: SHA256Digest
    /// The distinct texts, each with its index among the distinct texts of the batch.
    private(set) var texts: [(place: Int, jws: CompactJWS)] = []
    /// The number of items of the batch that these texts stand for, repeats included.
    private var items = 0

    init(_ header: JWSHeader, digest: SHA256Digest) {
        self.header = header
        self.digest = digest
    }

    /// Adds a text that occurs `items` times in the batch.
    mutating func add(_ text: CompactJWS, at place: Int, items: Int) {
        texts.append((place, text))
        self.items += items
    }

    /// True if this header is tried before the other. The header with more items comes first, then the one with the
    /// smaller digest, so the order of the batch does not matter.
    func precedes(_ other: UntriedHeader) -> Bool {
        guard items == other.items else { return items > other.items }
        return digest.lexicographicallyPrecedes(other.digest)
    }
}

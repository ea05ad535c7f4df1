/// The names of one object, each by a hash of its decoded bytes.
///
/// A repeated name has the hash of the first. The hash has 64 bits and a key that no sender knows, so nobody finds
/// names that share one, and each name costs the same however many stand before it. Two names that differ count as one
/// with a chance below 2⁻⁴⁴ for a whole object of ``StrictJSON/maximumNames``.
struct JSONNameSet {
    private var hashes: Set<Int> = []

    var count: Int { hashes.count }

    /// Enters a name; false if it was there.
    mutating func insert(_ name: UnsafeRawBufferPointer) -> Bool {
        var hasher = Hasher()
        hasher.combine(bytes: name)
        return hashes.insert(hasher.finalize()).inserted
    }
}

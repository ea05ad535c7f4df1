/// The names of one object's members, each represented by a hash of its decoded bytes.
///
/// The hash has 64 bits and a random key, so a sender cannot construct names with equal hashes, and inserting a name
/// takes constant time. Two different names of an object with ``StrictJSON/maximumNames`` names have equal hashes with
/// a probability below 2⁻⁴⁴.
struct JSONNameSet {
    private var hashes: Set<Int> = []

    var count: Int { hashes.count }

    /// Inserts a name; false if it was there already.
    mutating func insert(_ name: UnsafeRawBufferPointer) -> Bool {
        var hasher = Hasher()
        hasher.combine(bytes: name)
        return hashes.insert(hasher.finalize()).inserted
    }
}

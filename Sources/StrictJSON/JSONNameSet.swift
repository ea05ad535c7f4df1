/// Tells in one word whether a name may stand in an object already, so that few names need be compared.
///
/// A false alarm costs a comparison; a repeated name always raises the alarm.
struct JSONNameSet {
    /// Beyond this many nothing is compared in pairs, which would take too long.
    static let maximumCompared = 64

    private(set) var count = 0
    private var buckets: UInt64 = 0
    private var hasEscapes = false

    /// Enters a name.
    ///
    /// - Returns: Whether it must be compared with those before it. Always `false` beyond the number that is compared
    ///   in pairs.
    mutating func insert(_ name: StrictJSON.Node, from input: UnsafeBufferPointer<UInt8>) -> Bool {
        count += 1
        guard count <= Self.maximumCompared else { return false }
        hasEscapes = hasEscapes || !name.isPlain
        var hash = name.end - name.start
        for position in Int(name.start)..<Int(name.end) {
            hash = hash &* 31 &+ UInt32(input[position])
        }
        let bucket: UInt64 = 1 << UInt64((hash &* 0x9E37_79B9) >> 26)
        defer { buckets |= bucket }
        return hasEscapes || buckets & bucket != 0
    }
}

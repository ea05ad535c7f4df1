import CZlib

/// Bytes that are kept in less memory: deflated (RFC 1951), at the speed and in the window of a few kilobytes that suit
/// one answer.
struct DeflatedBytes: Sendable {
    private static let level: Int32 = 1
    /// A window of 4 KiB; negative, because no header of zlib's own is wanted.
    private static let windowBits: Int32 = -12
    private static let memoryLevel: Int32 = 5

    private let deflated: [UInt8]
    private let count: Int

    /// How many bytes are kept.
    var keptCount: Int { deflated.count }

    /// Nil where there is no memory for it.
    init?(_ bytes: [UInt8]) {
        let stream = ZlibStream()
        guard czlib_deflate_init(stream.state, Self.level, Self.windowBits, Self.memoryLevel) == Z_OK else {
            return nil
        }
        defer { deflateEnd(stream.state) }
        let bound = Int(deflateBound(stream.state, UInt(bytes.count)))
        var isWhole = false
        // Into an array of the size that is needed: one of the greatest size would keep it.
        deflated = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: bound) { output in
            let count = stream.pass(bytes, into: output) { isWhole = deflate($0, Z_FINISH) == Z_STREAM_END }
            return Array(output[..<count])
        }
        count = bytes.count
        guard isWhole else { return nil }
    }

    /// The bytes as they were; nil where there is no memory for them.
    var bytes: [UInt8]? {
        let stream = ZlibStream()
        guard czlib_inflate_init(stream.state, Self.windowBits) == Z_OK else { return nil }
        defer { inflateEnd(stream.state) }
        var isWhole = false
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { output, count in
            count = stream.pass(deflated, into: output) { isWhole = inflate($0, Z_FINISH) == Z_STREAM_END }
        }
        return isWhole ? bytes : nil
    }
}

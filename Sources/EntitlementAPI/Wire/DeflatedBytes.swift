import CZlib

/// Bytes in compressed form (RFC 1951), with a fast level and a small window that suit answers of a few kilobytes.
struct DeflatedBytes: Sendable {
    private static let level: Int32 = 1
    /// A window of 4 KiB. The number is negative to leave out zlib's own header.
    private static let windowBits: Int32 = -12
    private static let memoryLevel: Int32 = 5

    private let deflated: [UInt8]
    private let count: Int

    /// The number of compressed bytes.
    var keptCount: Int { deflated.count }

    /// Compresses `bytes`; nil if zlib gets no memory.
    init?(_ bytes: [UInt8]) {
        let stream = ZlibStream()
        guard czlib_deflate_init(stream.state, Self.level, Self.windowBits, Self.memoryLevel) == Z_OK else {
            return nil
        }
        defer { deflateEnd(stream.state) }
        let bound = Int(deflateBound(stream.state, UInt(bytes.count)))
        var isWhole = false
        // The result is copied into an array of its exact size, because an array of the greatest size would hold on to
        // its memory.
        deflated = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: bound) { output in
            let count = stream.pass(bytes, into: output) { isWhole = deflate($0, Z_FINISH) == Z_STREAM_END }
            return Array(output[..<count])
        }
        count = bytes.count
        guard isWhole else { return nil }
    }

    /// The original bytes; nil if zlib gets no memory.
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

import CZlib

/// Bodies of one gzip member (RFC 1952), as `Content-Encoding: gzip` names them (RFC 9110 §8.4.1.3).
enum Gzip {
    /// The fault of bytes that are not decoded.
    enum Defect: Error {
        case malformed
        /// The member does not end.
        case cutOff
        case tooLarge
    }

    /// The most decoded bytes for each encoded byte. A list of different signed texts has about 40.
    static let maximumRatio = 100
    /// The window of 32 KiB that any client may use; 16 is zlib's word for the header and trailer of gzip.
    private static let windowBits: Int32 = 15 + 16
    private static let level: Int32 = 1
    private static let memoryLevel: Int32 = 8
    private static let chunkBytes = 32 * 1024

    /// The decoded bytes: at most `limit`, and at most ``maximumRatio`` times the encoded ones.
    ///
    /// The bounds hold while the bytes are inflated, so that a small body never takes much memory.
    static func decoded(_ bytes: [UInt8], limit: Int) throws(Defect) -> [UInt8] {
        let limit = min(limit, bytes.count * maximumRatio)
        let stream = ZlibStream()
        guard czlib_inflate_init(stream.state, windowBits) == Z_OK else { throw .malformed }
        defer { inflateEnd(stream.state) }
        var decoded: [UInt8] = []
        let (status, unread) = stream.take(bytes) { state in
            withUnsafeTemporaryAllocation(of: UInt8.self, capacity: chunkBytes) { chunk in
                var status = Z_OK
                while status == Z_OK, decoded.count <= limit {
                    state.pointee.next_out = chunk.baseAddress
                    state.pointee.avail_out = UInt32(chunk.count)
                    status = inflate(state, Z_NO_FLUSH)
                    decoded.append(contentsOf: chunk[..<(chunk.count - Int(state.pointee.avail_out))])
                }
                return status
            }
        }
        guard decoded.count <= limit else { throw .tooLarge }
        switch status {
        case Z_STREAM_END where unread == 0: return decoded
        case Z_BUF_ERROR: throw .cutOff
        default: throw .malformed
        }
    }

    /// The bytes as one member; nil where there is no memory for it.
    static func encoded(_ bytes: [UInt8]) -> [UInt8]? {
        let stream = ZlibStream()
        guard czlib_deflate_init(stream.state, level, windowBits, memoryLevel) == Z_OK else { return nil }
        defer { deflateEnd(stream.state) }
        let bound = Int(deflateBound(stream.state, UInt(bytes.count)))
        var isWhole = false
        let encoded = [UInt8](unsafeUninitializedCapacity: bound) { output, count in
            count = stream.pass(bytes, into: output) { isWhole = deflate($0, Z_FINISH) == Z_STREAM_END }
        }
        return isWhole ? encoded : nil
    }
}

import CMariaDB
import Glibc

extension Value {
    /// The type of a parameter with this value, in the protocol.
    var wireType: (type: enum_field_types, isUnsigned: Bool) {
        switch self {
        case .null: (MYSQL_TYPE_NULL, false)
        case .int64: (MYSQL_TYPE_LONGLONG, false)
        case .uint64: (MYSQL_TYPE_LONGLONG, true)
        case .double: (MYSQL_TYPE_DOUBLE, false)
        case .text: (MYSQL_TYPE_STRING, false)
        case .bytes: (MYSQL_TYPE_BLOB, false)
        }
    }

    /// False for a text with other characters than those of ASCII.
    var isASCII: Bool {
        guard case .text(let text) = self else { return true }
        return text.utf8.allSatisfy { $0 < 0x80 }
    }

    /// The bits of a number, as they are sent in 8 bytes; 0 for other values.
    var scalarBits: UInt64 {
        switch self {
        case .int64(let number): UInt64(bitPattern: number)
        case .uint64(let number): number
        case .double(let number): number.bitPattern
        case .null, .text, .bytes: 0
        }
    }

    /// The number of bytes of a text or blob; 0 for other values.
    var byteCount: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .bytes(let bytes): bytes.count
        case .null, .int64, .uint64, .double: 0
        }
    }

    /// Copies the bytes of a text or blob to `target`, which has room for `byteCount` bytes.
    func copyBytes(to target: UnsafeMutablePointer<UInt8>) {
        switch self {
        case .text(var text):
            text.withUTF8 { copy($0, to: target) }
        case .bytes(let bytes):
            bytes.withUnsafeBufferPointer { copy($0, to: target) }
        case .null, .int64, .uint64, .double:
            break
        }
    }

    private func copy(_ source: UnsafeBufferPointer<UInt8>, to target: UnsafeMutablePointer<UInt8>) {
        guard let start = source.baseAddress else { return }
        target.update(from: start, count: source.count)
    }
}

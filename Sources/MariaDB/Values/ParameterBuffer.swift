import CMariaDB

/// The parameters of one prepared statement in the form that the C library reads. The memory is reused by the next
/// call.
final class ParameterBuffer {
    private let count: Int
    /// True if a text that is not ASCII is sent as bytes. MariaDB refuses to compare such a text with a column in ASCII
    /// ("illegal mix of collations"), and compares bytes with any column, by the column's collation and index.
    private let comparesBytes: Bool
    private let binds: GrowingBuffer<MYSQL_BIND>
    private let scalars: GrowingBuffer<UInt64>
    private let bytes = GrowingBuffer<UInt8>(capacity: 256)

    /// - Parameter isReading: True for a `SELECT`, which compares texts and stores none.
    init(count: Int, isReading: Bool) {
        self.count = count
        comparesBytes = isReading
        binds = GrowingBuffer(capacity: count)
        scalars = GrowingBuffer(capacity: count)
    }

    /// Copies the values, and returns binds that are valid until the next call. The caller has checked the number of
    /// values.
    func bind(_ values: [Value]) -> UnsafeMutablePointer<MYSQL_BIND> {
        bytes.reserve(values.reduce(0) { $0 + $1.byteCount })
        var used = 0
        for (index, value) in values.enumerated() {
            var bind = MYSQL_BIND()
            let (type, isUnsigned) = value.wireType
            bind.buffer_type = comparesBytes && !value.isASCII ? MYSQL_TYPE_BLOB : type
            bind.is_unsigned = isUnsigned ? 1 : 0
            switch value {
            case .null, .int64, .uint64, .double:
                scalars.start[index] = value.scalarBits
                bind.buffer = UnsafeMutableRawPointer(scalars.start + index)
                bind.buffer_length = 8
            case .text, .bytes:
                let length = value.byteCount
                value.copyBytes(to: bytes.start + used)
                bind.buffer = UnsafeMutableRawPointer(bytes.start + used)
                bind.buffer_length = UInt(length)
                used += length
            }
            (binds.start + index).initialize(to: bind)
        }
        return binds.start
    }
}

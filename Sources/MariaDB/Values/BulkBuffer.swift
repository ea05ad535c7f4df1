import CMariaDB

/// The parameter sets of one bulk execution in the form that the C library reads, column after column. The memory is
/// reused by the next call.
///
/// Each column has one type for all sets. A separate indicator marks NULL.
final class BulkBuffer {
    private let width: Int
    private let binds: GrowingBuffer<MYSQL_BIND>
    private let scalars = GrowingBuffer<UInt64>(capacity: 0)
    private let pointers = GrowingBuffer<UnsafeMutablePointer<UInt8>>(capacity: 0)
    private let lengths = GrowingBuffer<UInt>(capacity: 0)
    private let indicators = GrowingBuffer<CChar>(capacity: 0)
    private let bytes = GrowingBuffer<UInt8>(capacity: 256)
    private var usedBytes = 0

    init(width: Int) {
        self.width = width
        binds = GrowingBuffer(capacity: width)
    }

    /// Copies the sets, and returns binds that are valid until the next call. Throws `.parameters` if a column mixes
    /// types.
    func bind(_ sets: ArraySlice<[Value]>, of statement: SQLStatement) throws(DatabaseError)
        -> UnsafeMutablePointer<MYSQL_BIND>
    {
        let cells = width * sets.count
        scalars.reserve(cells)
        pointers.reserve(cells)
        lengths.reserve(cells)
        indicators.reserve(cells)
        bytes.reserve(sets.reduce(0) { $0 + $1.reduce(0) { $0 + $1.byteCount } })
        usedBytes = 0
        for column in 0..<width {
            try bind(column, of: sets, statement)
        }
        return binds.start
    }

    private func bind(_ column: Int, of sets: ArraySlice<[Value]>, _ statement: SQLStatement) throws(DatabaseError) {
        let first = column * sets.count
        // A column of NULLs needs a type too; any type will do.
        var wireType = Value.text("").wireType
        var isTyped = false
        for (offset, set) in sets.enumerated() {
            let value = set[column]
            place(value, at: first + offset)
            guard value != .null else { continue }
            if isTyped, wireType != value.wireType {
                throw DatabaseError(.parameters, statement: statement.name)
            }
            wireType = value.wireType
            isTyped = true
        }
        var bind = MYSQL_BIND()
        bind.buffer_type = wireType.type
        bind.is_unsigned = wireType.isUnsigned ? 1 : 0
        if wireType.type == MYSQL_TYPE_STRING || wireType.type == MYSQL_TYPE_BLOB {
            bind.buffer = UnsafeMutableRawPointer(pointers.start + first)
        } else {
            bind.buffer = UnsafeMutableRawPointer(scalars.start + first)
        }
        bind.length = lengths.start + first
        cmariadb_set_indicators(&bind, indicators.start + first)
        (binds.start + column).initialize(to: bind)
    }

    private func place(_ value: Value, at cell: Int) {
        let length = value.byteCount
        scalars.start[cell] = value.scalarBits
        pointers.start[cell] = bytes.start + usedBytes
        lengths.start[cell] = UInt(length)
        indicators.start[cell] = CChar(value == .null ? STMT_INDICATOR_NULL.rawValue : STMT_INDICATOR_NONE.rawValue)
        value.copyBytes(to: bytes.start + usedBytes)
        usedBytes += length
    }
}

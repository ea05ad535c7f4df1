import CMariaDB

/// The buffers into which a result is fetched, made for the columns that the server announced at the last execution.
///
/// A buffer holds the first bytes of a cell only, because a JSON column announces 4 GiB. Longer cells are read again by
/// `mysql_stmt_fetch_column`.
final class ResultBuffer {
    /// The type as which a column is fetched.
    private enum Kind: Equatable {
        case int64, uint64, double, text, bytes
    }

    /// The bytes of a cell that are fetched at once; longer cells need a second call.
    private static let cellBytes = 512

    private let kinds: [Kind]
    private let binds: GrowingBuffer<MYSQL_BIND>
    private let lengths: GrowingBuffer<UInt>
    private let nulls: GrowingBuffer<CChar>
    private let cells: GrowingBuffer<UInt8>

    init(fields: UnsafeBufferPointer<MYSQL_FIELD>) {
        kinds = fields.map(Self.kind)
        let count = fields.count
        binds = GrowingBuffer(capacity: count)
        lengths = GrowingBuffer(capacity: count)
        nulls = GrowingBuffer(capacity: count)
        cells = GrowingBuffer(capacity: count * Self.cellBytes)
        for (column, kind) in kinds.enumerated() {
            var bind = MYSQL_BIND()
            bind.buffer_type = Self.wireType(of: kind)
            bind.is_unsigned = kind == .uint64 ? 1 : 0
            bind.buffer = UnsafeMutableRawPointer(cell(column))
            bind.buffer_length = UInt(Self.cellBytes)
            bind.length = lengths.start + column
            bind.is_null = nulls.start + column
            (binds.start + column).initialize(to: bind)
        }
    }

    /// True if the columns still have the types of these buffers; types can change between executions.
    func fits(_ fields: UnsafeBufferPointer<MYSQL_FIELD>) -> Bool {
        kinds.count == fields.count && zip(kinds, fields).allSatisfy { $0 == Self.kind($1) }
    }

    /// Binds the statement's result to the buffers; false if the library refuses.
    func attach(to statement: UnsafeMutablePointer<MYSQL_STMT>) -> Bool {
        mysql_stmt_bind_result(statement, binds.start) == 0
    }

    /// Appends the cells of the last fetched row; false if a long cell could not be read.
    func appendRow(of statement: UnsafeMutablePointer<MYSQL_STMT>, to values: inout [Value]) -> Bool {
        for column in kinds.indices {
            if nulls.start[column] != 0 {
                values.append(.null)
            } else if Int(lengths.start[column]) > Self.cellBytes, kinds[column] == .text || kinds[column] == .bytes {
                guard let value = longValue(column, of: statement) else { return false }
                values.append(value)
            } else {
                values.append(value(column))
            }
        }
        return true
    }

    private func value(_ column: Int) -> Value {
        let start = cell(column)
        let raw = UnsafeRawPointer(start)
        switch kinds[column] {
        case .int64: return .int64(raw.loadUnaligned(as: Int64.self))
        case .uint64: return .uint64(raw.loadUnaligned(as: UInt64.self))
        case .double: return .double(raw.loadUnaligned(as: Double.self))
        case .text: return .text(String(decoding: bytes(column), as: UTF8.self))
        case .bytes: return .bytes([UInt8](bytes(column)))
        }
    }

    private func longValue(_ column: Int, of statement: UnsafeMutablePointer<MYSQL_STMT>) -> Value? {
        let length = Int(lengths.start[column])
        var isRead = false
        func read(into target: UnsafeMutablePointer<UInt8>?) -> Int {
            var bind = MYSQL_BIND()
            var received: UInt = 0
            bind.buffer_type = Self.wireType(of: kinds[column])
            bind.buffer = UnsafeMutableRawPointer(target)
            bind.buffer_length = UInt(length)
            isRead = withUnsafeMutablePointer(to: &received) { received in
                bind.length = received
                return mysql_stmt_fetch_column(statement, &bind, UInt32(column), 0) == 0
            }
            return isRead ? length : 0
        }
        let value: Value
        if kinds[column] == .text {
            value = .text(String(unsafeUninitializedCapacity: length) { read(into: $0.baseAddress) })
        } else {
            value = .bytes([UInt8](unsafeUninitializedCapacity: length) { $1 = read(into: $0.baseAddress) })
        }
        return isRead ? value : nil
    }

    private func cell(_ column: Int) -> UnsafeMutablePointer<UInt8> {
        cells.start + column * Self.cellBytes
    }

    private func bytes(_ column: Int) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: cell(column), count: Int(lengths.start[column]))
    }

    /// The type as which a column is fetched. DECIMAL has the binary character set but is text. Dates are fetched as
    /// text, which is exact.
    private static func kind(_ field: MYSQL_FIELD) -> Kind {
        switch field.type {
        case MYSQL_TYPE_TINY, MYSQL_TYPE_SHORT, MYSQL_TYPE_INT24, MYSQL_TYPE_LONG, MYSQL_TYPE_LONGLONG, MYSQL_TYPE_YEAR:
            field.flags & UInt32(UNSIGNED_FLAG) != 0 ? .uint64 : .int64
        case MYSQL_TYPE_FLOAT, MYSQL_TYPE_DOUBLE:
            .double
        case MYSQL_TYPE_NEWDECIMAL, MYSQL_TYPE_DECIMAL, MYSQL_TYPE_DATE, MYSQL_TYPE_NEWDATE, MYSQL_TYPE_TIME,
            MYSQL_TYPE_DATETIME, MYSQL_TYPE_TIMESTAMP, MYSQL_TYPE_TIME2, MYSQL_TYPE_DATETIME2, MYSQL_TYPE_TIMESTAMP2:
            .text
        case MYSQL_TYPE_BIT, MYSQL_TYPE_GEOMETRY:
            .bytes
        default:
            field.charsetnr == binaryCharacterSet ? .bytes : .text
        }
    }

    private static let binaryCharacterSet: UInt32 = 63

    private static func wireType(of kind: Kind) -> enum_field_types {
        switch kind {
        case .int64, .uint64: MYSQL_TYPE_LONGLONG
        case .double: MYSQL_TYPE_DOUBLE
        case .text: MYSQL_TYPE_STRING
        case .bytes: MYSQL_TYPE_BLOB
        }
    }
}

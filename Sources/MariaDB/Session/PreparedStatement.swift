import CMariaDB

/// A statement that the server has prepared for one connection, with the buffers that its calls reuse.
///
/// Invariant: no result is pending between two calls. The statement refers to memory of the connection, so it keeps the
/// connection alive.
final class PreparedStatement {
    let statement: SQLStatement
    /// The number of the last use, counted by the statement cache.
    var lastUse = 0
    private let wire: Wire
    private let handle: UnsafeMutablePointer<MYSQL_STMT>
    private let parameterCount: Int
    private let parameters: ParameterBuffer
    private var bulk: BulkBuffer?
    private var result: ResultBuffer?

    /// Prepares `statement`. Throws the server's refusal or a lost connection.
    init(_ statement: SQLStatement, on wire: Wire) throws(DatabaseError) {
        guard let handle = mysql_stmt_init(wire.handle) else { throw wire.error(at: statement.name) }
        var sql = statement.sql
        let status = sql.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { mysql_stmt_prepare(handle, $0.baseAddress, UInt($0.count)) }
        }
        guard status == 0 else {
            defer { mysql_stmt_close(handle) }
            throw Self.error(of: handle, at: statement)
        }
        self.statement = statement
        self.wire = wire
        self.handle = handle
        parameterCount = Int(mysql_stmt_param_count(handle))
        parameters = ParameterBuffer(count: parameterCount, isReading: statement.sql.hasPrefix("SELECT"))
    }

    deinit {
        mysql_stmt_close(handle)
    }

    /// Runs the statement once, appends the cells of its result, if any, and returns the number of affected rows.
    /// Throws the server's refusal, a lost connection, or `.parameters`.
    func execute(_ values: [Value], into cells: inout [Value]) throws(DatabaseError) -> UInt64 {
        guard values.count == parameterCount, Self.packetBytes(of: values) <= wire.maxPacketBytes else {
            throw DatabaseError(.parameters, statement: statement.name)
        }
        if parameterCount > 0 {
            guard mysql_stmt_bind_param(handle, parameters.bind(values)) == 0 else { throw error }
        }
        return try execute(into: &cells)
    }

    /// Runs the statement for every set of values. Appends the cells of the results in the order of the sets, and
    /// returns the number of affected rows.
    ///
    /// The sets take as few round trips as the packet limit allows, usually one. The caller must be in a transaction,
    /// because a packet may fail after earlier ones were carried out. Throws the server's refusal, a lost connection,
    /// or `.parameters`. Throws `.transactionOver` if the transaction ended in a packet that others follow: when a
    /// Galera cluster aborts a transaction in a bulk, the server answers as if nothing had happened.
    func executeBulk(_ sets: [[Value]], into cells: inout [Value]) throws(DatabaseError) -> UInt64 {
        guard parameterCount > 0, sets.allSatisfy({ $0.count == parameterCount }) else {
            throw DatabaseError(.parameters, statement: statement.name)
        }
        let buffer = bulk ?? BulkBuffer(width: parameterCount)
        bulk = buffer
        defer { cmariadb_set_array_size(handle, 0) }
        var affected: UInt64 = 0
        var rest = sets[...]
        let isInTransaction = wire.isInTransaction
        while !rest.isEmpty {
            guard wire.isInTransaction == isInTransaction else {
                throw DatabaseError(.transactionOver, statement: statement.name)
            }
            let chunk = try prefixOfOnePacket(rest)
            let binds = try buffer.bind(chunk, of: statement)
            // The array size is set first, because binding reads it.
            guard cmariadb_set_array_size(handle, UInt32(chunk.count)) == 0, mysql_stmt_bind_param(handle, binds) == 0
            else { throw error }
            affected &+= try execute(into: &cells)
            rest = rest.dropFirst(chunk.count)
        }
        return affected
    }

    private func prefixOfOnePacket(_ sets: ArraySlice<[Value]>) throws(DatabaseError) -> ArraySlice<[Value]> {
        var bytes = 0
        var count = 0
        for set in sets {
            bytes += Self.packetBytes(of: set)
            guard bytes <= wire.maxPacketBytes else { break }
            count += 1
        }
        guard count > 0 else { throw DatabaseError(.parameters, statement: statement.name) }
        return sets.prefix(count)
    }

    /// An upper bound of the packet's bytes, including the header, types and indicators.
    private static func packetBytes(of values: [Value]) -> Int {
        values.reduce(64) { $0 + 16 + $1.byteCount }
    }

    private func execute(into cells: inout [Value]) throws(DatabaseError) -> UInt64 {
        guard mysql_stmt_execute(handle) == 0 else { throw error }
        defer { mysql_stmt_free_result(handle) }
        // The number is read before the rows are fetched. For a statement that returns rows, the library has it only
        // until then.
        let affected = mysql_stmt_affected_rows(handle)
        if mysql_stmt_field_count(handle) > 0 {
            try fetch(into: &cells)
        }
        return affected
    }

    /// Fetches all rows, and makes new buffers if the columns have changed since the last execution. `INSERT …
    /// RETURNING` has no columns until it has run, and the type of an expression depends on its parameters.
    private func fetch(into cells: inout [Value]) throws(DatabaseError) {
        guard let first = mariadb_stmt_fetch_fields(handle) else { throw error }
        let fields = UnsafeBufferPointer(start: first, count: Int(mysql_stmt_field_count(handle)))
        let buffer: ResultBuffer
        if let result, result.fits(fields) {
            buffer = result
        } else {
            buffer = ResultBuffer(fields: fields)
            result = buffer
        }
        // The library drops the binding when it sees new metadata, so the buffers are bound each time; this is cheap.
        guard buffer.attach(to: handle) else { throw error }
        while true {
            switch mysql_stmt_fetch(handle) {
            case 0, MYSQL_DATA_TRUNCATED:
                guard buffer.appendRow(of: handle, to: &cells) else { throw error }
            case MYSQL_NO_DATA:
                return cmariadb_note_end_of_rows(wire.handle)
            default:
                // If the server fails after some rows, the library stores the error at the connection, not at the
                // statement.
                throw mysql_stmt_errno(handle) == 0 ? wire.error(at: statement.name) : error
            }
        }
    }

    /// The number of columns of the last result.
    var width: Int { Int(mysql_stmt_field_count(handle)) }

    private var error: DatabaseError { Self.error(of: handle, at: statement) }

    private static func error(of handle: UnsafeMutablePointer<MYSQL_STMT>, at statement: SQLStatement) -> DatabaseError
    {
        DatabaseError(
            code: Int(mysql_stmt_errno(handle)), sqlState: String(cString: mysql_stmt_sqlstate(handle)),
            statement: statement.name)
    }
}

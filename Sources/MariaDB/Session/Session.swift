/// A connection, as a unit of work sees it from the connection's own thread.
///
/// Not Sendable: it is handed to a closure that runs on the connection's thread and is not kept beyond it.
/// Invariant: once `isBroken`, nothing is sent any more.
package final class Session {
    /// Where the session stands towards a transaction.
    enum TransactionState: Equatable {
        case none
        case open
        /// A statement in it failed with this error: only ROLLBACK may follow.
        case failed(DatabaseError)
    }

    let wire: Wire
    private var cache: StatementCache
    var transactionState = TransactionState.none
    /// True if the connection must not be used again.
    var isBroken = false
    /// True if the current unit of work has sent a statement other than its BEGIN.
    var hasSent = false

    /// Connects to the first endpoint that is writable, else to the first that answers, and pins the session's
    /// settings. Throws `.connectionLost` when none answers, `.sessionNotPinned` when a setting did not stick.
    init(_ settings: ConnectionSettings) throws(DatabaseError) {
        let (wire, facts) = try Self.connect(settings)
        wire.maxPacketBytes = facts.maxPacketBytes
        self.wire = wire
        cache = StatementCache(capacity: settings.maxCachedStatements)
    }

    /// The version as a number, such as 101119 for 10.11.19.
    package var serverVersion: Int { wire.serverVersion }

    /// The number by which `KILL` knows this connection.
    package var threadID: UInt64 { wire.threadID }

    /// The names of the statements that are prepared now.
    package var preparedNames: Set<String> { cache.names }

    /// Runs a statement and drops the rows it may return; answers the rows affected.
    /// Throws the server's refusal, a lost connection, or `.parameters`.
    @discardableResult
    package func execute(_ statement: SQLStatement, _ parameters: [Value] = []) throws(DatabaseError) -> UInt64 {
        var cells: [Value] = []
        return try send(statement) { (prepared) throws(DatabaseError) in
            try prepared.execute(parameters, into: &cells)
        }
    }

    /// Runs a statement and answers its rows. Throws the server's refusal, a lost connection, or `.parameters`.
    package func query(_ statement: SQLStatement, _ parameters: [Value] = []) throws(DatabaseError) -> [Row] {
        var cells: [Value] = []
        let width = try send(statement) { (prepared) throws(DatabaseError) in
            _ = try prepared.execute(parameters, into: &cells)
            return prepared.width
        }
        return ResultCells(statement: statement.name, width: width, values: cells).rows
    }

    /// Runs a statement and decodes each of its rows. Throws the server's refusal, a lost connection, `.parameters`,
    /// or what `decode` throws.
    package func query<T>(
        _ statement: SQLStatement, _ parameters: [Value] = [], decode: (Row) throws(DatabaseError) -> T
    ) throws(DatabaseError) -> [T] {
        try query(statement, parameters).map(decode)
    }

    /// Runs a statement once per set of parameters, in one round trip; answers the rows affected, summed.
    /// Throws the server's refusal, a lost connection, or `.parameters` when a column mixes types.
    /// More sets than fit into the server's `max_allowed_packet` are sent in several packets, so call it in a
    /// transaction.
    @discardableResult
    package func executeBulk(_ statement: SQLStatement, _ sets: [[Value]]) throws(DatabaseError) -> UInt64 {
        guard !sets.isEmpty else { return 0 }
        var cells: [Value] = []
        return try send(statement) { (prepared) throws(DatabaseError) in
            try prepared.executeBulk(sets, into: &cells)
        }
    }

    /// `executeBulk` for `INSERT … RETURNING`, with or without `ON DUPLICATE KEY UPDATE`: answers one row per set, in
    /// the order of the sets. Throws the server's refusal, a lost connection, or `.parameters`.
    package func queryBulk(_ statement: SQLStatement, _ sets: [[Value]]) throws(DatabaseError) -> [Row] {
        guard !sets.isEmpty else { return [] }
        var cells: [Value] = []
        let width = try send(statement) { (prepared) throws(DatabaseError) in
            _ = try prepared.executeBulk(sets, into: &cells)
            return prepared.width
        }
        return ResultCells(statement: statement.name, width: width, values: cells).rows
    }

    /// Runs a statement in the text protocol, which takes what cannot be prepared, such as some DDL; its rows are
    /// dropped. Throws the server's refusal, or that the connection is lost. In a transaction DDL commits: the next
    /// statement is refused.
    package func run(_ statement: SQLStatement) throws(DatabaseError) {
        try checkSendable(statement)
        do {
            try wire.run(statement)
        } catch {
            throw noted(error)
        }
    }

    /// Asks the server for a sign of life; throws that the connection is lost.
    package func ping() throws(DatabaseError) {
        do {
            try wire.ping()
        } catch {
            isBroken = true
            throw error
        }
    }

    private func send<T>(
        _ statement: SQLStatement, _ body: (PreparedStatement) throws(DatabaseError) -> T
    ) throws(DatabaseError) -> T {
        try checkSendable(statement)
        do {
            return try body(cache.prepared(statement, on: wire))
        } catch {
            // After these the server no longer knows the statement as it was prepared.
            if error.isRetryable { cache.forget(statement.name) }
            throw noted(error)
        }
    }

    /// Throws when the connection is broken, or the transaction is over while its closure still runs: after 1213 the
    /// next statement would commit by itself, after 1205 it would join half a transaction.
    private func checkSendable(_ statement: SQLStatement) throws(DatabaseError) {
        guard !isBroken else { throw DatabaseError(.connectionLost, statement: statement.name) }
        switch transactionState {
        case .none: break
        case .open where wire.isInTransaction: break
        case .open, .failed: throw noted(DatabaseError(.transactionOver, statement: statement.name))
        }
        hasSent = true
    }

    /// Remembers what an error means for what may follow.
    private func noted(_ error: DatabaseError) -> DatabaseError {
        if error.isConnectionLost { isBroken = true }
        if transactionState == .open { transactionState = .failed(error) }
        return error
    }
}

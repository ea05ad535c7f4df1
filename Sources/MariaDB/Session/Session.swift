/// A connection, as a unit of work uses it on the connection's own thread.
///
/// The class is not Sendable: a closure on the connection's thread gets it and must not keep it. Invariant: once
/// `isBroken` is true, nothing more is sent.
package final class Session {
    /// The state of the session's transaction.
    enum TransactionState: Equatable {
        case none
        case open
        /// A statement of the transaction failed with this error; only ROLLBACK may follow.
        case failed(DatabaseError)
    }

    let wire: Wire
    /// The server to which the connection leads.
    let node: ServerNode
    private var cache: StatementCache
    var transactionState = TransactionState.none
    /// True if the connection must not be used again.
    var isBroken = false
    /// The number of statements that the current unit of work has sent, without its BEGIN.
    var sentCount = 0
    /// True if an earlier run of the transaction may be committed, because its COMMIT was not answered.
    package internal(set) var isInDoubt = false

    /// Connects to the first writable endpoint, else to the first that answers, and sets the session's settings. Throws
    /// `.connectionLost` if none answers, `.sessionNotPinned` if a setting did not take effect.
    ///
    /// - Parameters:
    ///   - preferred: The index of the endpoint that is tried first.
    ///   - isSettled: True if no other endpoint is tried.
    init(
        _ settings: ConnectionSettings, at preferred: Int = 0, only isSettled: Bool = false
    ) throws(DatabaseError) {
        let opened = try Self.connect(settings, at: preferred, only: isSettled)
        wire = opened.wire
        wire.maxPacketBytes = opened.facts.maxPacketBytes
        node = ServerNode(endpoint: opened.endpoint, name: opened.facts.name)
        cache = StatementCache(capacity: settings.maxCachedStatements)
    }

    /// The server's version as a number, such as 101119 for 10.11.19.
    package var serverVersion: Int { wire.serverVersion }

    /// The server's own name: its host and port, and the name of its node in a Galera cluster.
    package var serverName: String { node.name }

    /// The id of this connection, which `KILL` takes.
    package var threadID: UInt64 { wire.threadID }

    /// The names of the statements that are currently prepared.
    package var preparedNames: Set<String> { cache.names }

    /// Runs a statement, drops the rows of its result, and returns the number of affected rows. Throws the server's
    /// refusal, a lost connection, or `.parameters`.
    @discardableResult
    package func execute(_ statement: SQLStatement, _ parameters: [Value] = []) throws(DatabaseError) -> UInt64 {
        var cells: [Value] = []
        return try send(statement) { (prepared) throws(DatabaseError) in
            try prepared.execute(parameters, into: &cells)
        }
    }

    /// Runs a statement and returns the rows of its result. Throws the server's refusal, a lost connection, or
    /// `.parameters`.
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

    /// Runs a statement once for each set of parameters, one after the other, and returns the sum of the affected rows.
    /// Call it in a transaction. Throws the server's refusal, a lost connection, or `.parameters`.
    @discardableResult
    package func executeEach(_ statement: SQLStatement, _ sets: [[Value]]) throws(DatabaseError) -> UInt64 {
        var affected: UInt64 = 0
        for set in sets { affected += try execute(statement, set) }
        return affected
    }

    /// Runs an `INSERT`, with or without `ON DUPLICATE KEY UPDATE`, once for each set of parameters, usually in one
    /// round trip, and returns the sum of the affected rows.
    ///
    /// Sets that together exceed the server's `max_allowed_packet` are sent in several packets, so call it in a
    /// transaction. Throws the server's refusal, a lost connection, or `.parameters` if a column mixes types. Throws
    /// `.misuse` for another statement: the server runs an `UPDATE` or `DELETE` set by set, and if a Galera cluster
    /// aborts the transaction between two sets, the later ones are committed alone.
    @discardableResult
    package func executeBulk(_ statement: SQLStatement, _ sets: [[Value]]) throws(DatabaseError) -> UInt64 {
        guard statement.sql.hasPrefix("INSERT") else { throw DatabaseError(.misuse, statement: statement.name) }
        guard !sets.isEmpty else { return 0 }
        var cells: [Value] = []
        return try send(statement) { (prepared) throws(DatabaseError) in
            try prepared.executeBulk(sets, into: &cells)
        }
    }

    /// Runs `INSERT … RETURNING`, with or without `ON DUPLICATE KEY UPDATE`, like `executeBulk`. Returns one row for
    /// each set, in the order of the sets. Throws what `executeBulk` throws.
    package func queryBulk(_ statement: SQLStatement, _ sets: [[Value]]) throws(DatabaseError) -> [Row] {
        guard statement.sql.hasPrefix("INSERT") else { throw DatabaseError(.misuse, statement: statement.name) }
        guard !sets.isEmpty else { return [] }
        var cells: [Value] = []
        let width = try send(statement) { (prepared) throws(DatabaseError) in
            _ = try prepared.executeBulk(sets, into: &cells)
            return prepared.width
        }
        return ResultCells(statement: statement.name, width: width, values: cells).rows
    }

    /// Runs a statement in the text protocol and drops its rows. This protocol also takes statements that cannot be
    /// prepared, such as some DDL.
    ///
    /// In a transaction DDL commits, and the next statement is refused. Throws the server's refusal or a lost
    /// connection.
    package func run(_ statement: SQLStatement) throws(DatabaseError) {
        try checkSendable(statement)
        do {
            try wire.run(statement)
        } catch {
            throw noted(error)
        }
    }

    /// Pings the server. Throws if the connection is lost.
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
            // After these errors the server may no longer know the prepared statement.
            if error.isRetryable { cache.forget(statement.name) }
            throw noted(error)
        }
    }

    /// Throws if the connection is broken, or if the transaction has ended while its closure still runs. After error
    /// 1213 the next statement would commit by itself; after error 1205 it would continue half a transaction.
    private func checkSendable(_ statement: SQLStatement) throws(DatabaseError) {
        guard !isBroken else { throw DatabaseError(.connectionLost, statement: statement.name) }
        switch transactionState {
        case .none: break
        case .open where wire.isInTransaction: break
        case .open: throw noted(DatabaseError(.transactionOver, statement: statement.name))
        case .failed(let first): throw first
        }
        sentCount += 1
    }

    /// Records that an error broke the connection or failed the transaction.
    private func noted(_ error: DatabaseError) -> DatabaseError {
        if error.isConnectionLost { isBroken = true }
        if transactionState == .open { transactionState = .failed(error) }
        return error
    }
}

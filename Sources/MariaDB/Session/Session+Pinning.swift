/// The settings that every statement relies on. They are set at connect and read back.
extension Session {
    /// The server's properties, which are read together with the session's variables.
    struct ServerFacts {
        let isReadOnly: Bool
        let maxPacketBytes: Int
        let name: String
    }

    private static let sqlModes: Set<String> = [
        "STRICT_ALL_TABLES", "ERROR_FOR_DIVISION_BY_ZERO", "NO_ZERO_DATE", "NO_ZERO_IN_DATE", "NO_ENGINE_SUBSTITUTION",
    ]

    private static let setIsolation = SQLStatement(
        "session.setIsolation", "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED")

    private static let setVariables = SQLStatement(
        "session.setVariables",
        """
        SET SESSION sql_mode = ?, time_zone = '+00:00', autocommit = 1, innodb_lock_wait_timeout = ?,
            idle_transaction_timeout = ?
        """)

    private static let readVariables = SQLStatement(
        "session.readVariables",
        """
        SELECT @@session.time_zone, @@session.tx_isolation, @@session.character_set_client,
            @@session.character_set_results, @@session.character_set_connection, @@session.sql_mode,
            @@session.autocommit, @@session.innodb_lock_wait_timeout, @@session.idle_transaction_timeout,
            @@global.read_only, @@global.max_allowed_packet, CONCAT(@@hostname, ':', @@port)
        """)

    /// Reads whether a server is in a Galera cluster, and its name there; no row if it was built without Galera.
    private static let readNode = SQLStatement(
        "session.readNode", "SHOW GLOBAL VARIABLES WHERE variable_name IN ('wsrep_on', 'wsrep_node_name')")

    /// Makes each START TRANSACTION, and each read outside of a transaction, wait until this node has applied what the
    /// cluster had committed before.
    private static let setCausal = SQLStatement("session.setCausal", "SET SESSION wsrep_sync_wait = 1")

    /// The expected values of the first columns of `readVariables`.
    private static let pinnedTexts = ["+00:00", "READ-COMMITTED", "utf8mb4", "utf8mb4", "utf8mb4"]

    /// A connection to the first writable endpoint, else to the first that answers, with the endpoint's index. Throws
    /// the error of the first endpoint that is away if none answers, else the last one's.
    ///
    /// - Parameters:
    ///   - preferred: The index of the endpoint that is tried first.
    ///   - isSettled: True if no other one is tried; else the others follow in their order.
    static func connect(
        _ settings: ConnectionSettings, at preferred: Int, only isSettled: Bool
    ) throws(DatabaseError) -> (wire: Wire, facts: ServerFacts, endpoint: Int) {
        var readable: (Wire, ServerFacts, Int)?
        var failure = DatabaseError(.connectionLost, statement: Wire.connecting)
        let indices = settings.endpoints.indices
        let others = isSettled ? [] : indices.filter { $0 != preferred }
        for index in indices.filter({ $0 == preferred }) + others {
            do {
                let wire = try Wire(to: settings.endpoints[index], settings)
                let facts = try pin(wire, settings, at: settings.endpoints[index])
                if !facts.isReadOnly { return (wire, facts, index) }
                readable = readable ?? (wire, facts, index)
            } catch {
                // An endpoint that is away may come back, so it is told before one that refuses.
                if !failure.isAway { failure = error }
            }
        }
        guard let readable else { throw failure }
        return readable
    }

    /// Sets the session's settings, reads them back, and begins a transaction: a node of a cluster that has lost its
    /// majority, or rejects queries, answers everything before.
    private static func pin(
        _ wire: Wire, _ settings: ConnectionSettings, at endpoint: ConnectionSettings.Endpoint
    ) throws(DatabaseError) -> ServerFacts {
        try wire.run(setIsolation)
        var cells: [Value] = []
        let modes = sqlModes.sorted().joined(separator: ",")
        do throws(DatabaseError) {
            _ = try PreparedStatement(setVariables, on: wire)
                .execute(
                    [
                        .text(modes), Value(settings.lockWaitTimeoutSeconds),
                        Value(settings.idleTransactionTimeoutSeconds),
                    ], into: &cells)
        } catch {
            throw refusal(error, of: wire.serverName, settings, at: endpoint)
        }
        guard let row = try read(readVariables, on: wire).first else {
            throw DatabaseError(.sessionNotPinned, statement: readVariables.name)
        }
        var cluster: [String: String] = [:]
        for row in try read(readNode, on: wire) { cluster[try row.text(0)] = try row.text(1) }
        let node = cluster["wsrep_on"] == "ON" ? cluster["wsrep_node_name"] : nil
        if node != nil { try wire.run(setCausal) }
        try wire.run(begin)
        try wire.run(rollback)
        return try facts(from: row, settings, node: node)
    }

    /// The error of a server that refuses the session's variables. One that lacks `idle_transaction_timeout`, as every
    /// MySQL does, is told by its version, as if there were no connection.
    static func refusal(
        _ error: DatabaseError, of version: String, _ settings: ConnectionSettings,
        at endpoint: ConnectionSettings.Endpoint
    ) -> DatabaseError {
        guard error.code == unknownVariable else { return error }
        return DatabaseError(
            .connectionLost, code: error.code, sqlState: error.sqlState, statement: error.statement,
            words: settings.words(
                "the server has version \(version), and is no MariaDB of 10.3 or newer", error.code, at: endpoint))
    }

    /// The number of the refusal of a variable that the server does not have.
    private static let unknownVariable = 1193

    private static func read(_ statement: SQLStatement, on wire: Wire) throws(DatabaseError) -> [Row] {
        var cells: [Value] = []
        let reader = try PreparedStatement(statement, on: wire)
        _ = try reader.execute([], into: &cells)
        return ResultCells(statement: statement.name, width: reader.width, values: cells).rows
    }

    /// The server's properties in `row`. Throws `.sessionNotPinned` if a variable has not the value that was set.
    private static func facts(
        from row: Row, _ settings: ConnectionSettings, node: String?
    ) throws(DatabaseError) -> ServerFacts {
        let modes = Set(try row.text(5).split(separator: ",").map(String.init))
        var texts: [String] = []
        for column in 0..<pinnedTexts.count { texts.append(try row.text(column)) }
        guard texts == pinnedTexts, modes == sqlModes, try row.bool(6),
            try row.int(7) == settings.lockWaitTimeoutSeconds,
            try row.int(8) == settings.idleTransactionTimeoutSeconds
        else { throw DatabaseError(.sessionNotPinned, statement: readVariables.name) }
        return ServerFacts(
            isReadOnly: try row.int(9) != 0, maxPacketBytes: try row.int(10) - 1024,
            name: try row.text(11) + (node.map { " (\($0))" } ?? ""))
    }
}

/// The settings that every statement relies on. They are set at connect and read back.
extension Session {
    /// The server's properties, which are read together with the session's variables.
    struct ServerFacts {
        let isReadOnly: Bool
        let maxPacketBytes: Int
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
            @@global.read_only, @@global.max_allowed_packet
        """)

    /// The expected values of the first columns of `readVariables`.
    private static let pinnedTexts = ["+00:00", "READ-COMMITTED", "utf8mb4", "utf8mb4", "utf8mb4"]

    /// A connection to the first writable endpoint, else to the first that answers. Throws the last endpoint's error if
    /// none answers.
    static func connect(_ settings: ConnectionSettings) throws(DatabaseError) -> (Wire, ServerFacts) {
        var readable: (Wire, ServerFacts)?
        var failure = DatabaseError(.connectionLost, statement: Wire.connecting)
        for endpoint in settings.endpoints {
            do {
                let wire = try Wire(to: endpoint, settings)
                let facts = try pin(wire, settings)
                if !facts.isReadOnly { return (wire, facts) }
                readable = readable ?? (wire, facts)
            } catch {
                failure = error
            }
        }
        guard let readable else { throw failure }
        return readable
    }

    private static func pin(_ wire: Wire, _ settings: ConnectionSettings) throws(DatabaseError) -> ServerFacts {
        try wire.run(setIsolation)
        var cells: [Value] = []
        let modes = sqlModes.sorted().joined(separator: ",")
        _ = try PreparedStatement(setVariables, on: wire)
            .execute(
                [
                    .text(modes), Value(settings.lockWaitTimeoutSeconds),
                    Value(settings.idleTransactionTimeoutSeconds),
                ], into: &cells)
        let reader = try PreparedStatement(readVariables, on: wire)
        _ = try reader.execute([], into: &cells)
        let rows = ResultCells(statement: readVariables.name, width: reader.width, values: cells).rows
        guard let row = rows.first else { throw DatabaseError(.sessionNotPinned, statement: readVariables.name) }
        return try facts(from: row, settings)
    }

    /// The server's properties in `row`. Throws `.sessionNotPinned` if a variable has not the value that was set.
    private static func facts(from row: Row, _ settings: ConnectionSettings) throws(DatabaseError) -> ServerFacts {
        let modes = Set(try row.text(5).split(separator: ",").map(String.init))
        var texts: [String] = []
        for column in 0..<pinnedTexts.count { texts.append(try row.text(column)) }
        guard texts == pinnedTexts, modes == sqlModes, try row.bool(6),
            try row.int(7) == settings.lockWaitTimeoutSeconds,
            try row.int(8) == settings.idleTransactionTimeoutSeconds
        else { throw DatabaseError(.sessionNotPinned, statement: readVariables.name) }
        return ServerFacts(isReadOnly: try row.int(9) != 0, maxPacketBytes: try row.int(10) - 1024)
    }
}

package import MariaDB

/// Looks into a schema behind the product's back, with SQL of its own.
package struct TestSchema: Sendable {
    package let settings: ConnectionSettings
    /// The same, with time for a statement of the tests' own when the machine is busy.
    private let patient: ConnectionSettings

    package init(_ settings: ConnectionSettings) {
        self.settings = settings
        var patient = settings
        patient.connectTimeoutSeconds = 30
        (patient.readTimeoutSeconds, patient.writeTimeoutSeconds) = TestRun.isSoak ? (1_800, 1_800) : (60, 60)
        self.patient = patient
    }

    /// The rows of one statement, over a connection that is opened for it. Throws what the server refuses.
    @discardableResult
    package func rows(_ sql: String, _ parameters: [Value] = []) async throws -> [[Value]] {
        try await rows(of: [(sql, parameters)])[0]
    }

    /// Deletes all rows of all tables in one transaction. Throws what the server refuses.
    package func empty() async throws {
        let deletes = Self.tables.map { "DELETE FROM \($0)" }
        _ = try await rows(of: (["START TRANSACTION"] + deletes + ["COMMIT"]).map { ($0, []) })
    }

    /// The rows of each statement, one after the other over one connection. Throws what the server refuses.
    private func rows(of statements: [(sql: String, parameters: [Value])]) async throws -> [[[Value]]] {
        let connection = try await Connection.open(patient)
        do {
            let rows = try await connection.with { (session) throws(DatabaseError) in
                try statements.map { (sql, parameters) throws(DatabaseError) in
                    try session.query(SQLStatement(sql, sql), parameters) { (row) throws(DatabaseError) in
                        try (0..<row.count).map { (column) throws(DatabaseError) in try row.value(column) }
                    }
                }
            }
            await connection.close()
            return rows
        } catch {
            await connection.close()
            throw error
        }
    }

    /// The one number of a statement that counts. Throws what the server refuses.
    package func number(_ sql: String, _ parameters: [Value] = []) async throws -> Int {
        switch try await rows(sql, parameters).first?.first {
        case .int64(let number): Int(number)
        case .uint64(let number): Int(number)
        case .text(let text): Int(text) ?? -1
        case .null, .double, .bytes, nil: -1
        }
    }

    /// All tables but that of the migrations.
    package static let tables = [
        "account_tokens", "api_keys", "apple_iap_transactions", "apple_pauses", "audit_entries", "audit_heads",
        "audit_notes", "catalog_versions", "chains", "consumption_requests", "delivery_mentions", "history_walks",
        "idempotency_keys", "inbox_deliveries", "inbox_texts", "installation_keys", "instances", "jobs",
        "ledger_entries", "lookups",
        "mentions", "notes", "notification_reads", "payment_amounts", "purchase_holders", "purchase_numbers",
        "purchases", "reconciliations", "refused_claims", "signed_headers", "signed_texts", "signing_keys", "staff",
        "staff_sessions",
        "staff_tries", "standing_answers", "standings", "subscriptions", "users",
        "waiting_statements",
    ]

    /// How many rows each table has. Throws what the server refuses.
    package func counts() async throws -> [String: Int] {
        let parts = Self.tables.map { "SELECT '\($0)', COUNT(*) FROM \($0)" }
        var counts: [String: Int] = [:]
        for row in try await rows(parts.joined(separator: " UNION ALL ")) {
            if case .text(let table) = row[0], case .int64(let count) = row[1] { counts[table] = Int(count) }
        }
        return counts
    }

    /// Whether the state `t` says anything else than what was signed at once with it or last before it
    /// (`semantics.md` §1): then it stands in the ledger of whoever has the purchase, and else it may.
    package static let isNoRepeat = """
        (NOT EXISTS (SELECT 1 FROM apple_iap_transactions b WHERE b.purchase_id = t.purchase_id
            AND b.transaction_id = t.transaction_id AND b.signed_at < t.signed_at)
        OR EXISTS (SELECT 1 FROM apple_iap_transactions b WHERE b.purchase_id = t.purchase_id
            AND b.transaction_id = t.transaction_id AND b.content_hash <> t.content_hash
            AND b.signed_at IN (t.signed_at, (SELECT MAX(c.signed_at) FROM apple_iap_transactions c
                WHERE c.purchase_id = t.purchase_id AND c.transaction_id = t.transaction_id
                AND c.signed_at < t.signed_at))))
        """

    /// Every row of every table, by the table's name, but those that servers write all the time. Throws what the server
    /// refuses.
    package func dump() async throws -> [String: [[Value]]] {
        let tables = Self.tables.filter { $0 != "instances" }
        let rows = try await rows(of: tables.map { ("SELECT * FROM \($0) ORDER BY 1, 2", []) })
        return Dictionary(uniqueKeysWithValues: zip(tables, rows))
    }

    /// Waits until no job waits any more, at most for half a minute. Throws what the server refuses.
    package func waitForJobs() async throws {
        for _ in 0..<600 where try await number("SELECT COUNT(*) FROM jobs") > 0 {
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    /// Every row of a table in the order of its first columns. Throws what the server refuses.
    package func dump(_ table: String) async throws -> [[Value]] {
        try await rows("SELECT * FROM \(table) ORDER BY 1, 2")
    }
}

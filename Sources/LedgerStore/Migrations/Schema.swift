package import MariaDB

/// The schema versions that this program works with.
///
/// Migrations within one hundred of numbers only add what older programs can ignore, and remove what no older program
/// uses. So old and new instances can run side by side during an upgrade. Any other migration begins the next hundred.
package enum Schema {
    /// The accepted versions: from the newest migration that this program needs, to the last of its hundred.
    package static let accepted = 40...99

    /// The number of the last migration up to which all are done; 0 for an empty database. Throws when the database is
    /// away.
    package static func version(in pool: Pool) async throws(ServiceFailure) -> Int {
        try await pool.ask { (session) throws(DatabaseError) in try version(in: session) }
    }

    /// The schema's version, read in a given session. Throws when the database is away.
    static func version(in session: Session) throws(DatabaseError) -> Int {
        var version = 0
        for row in try MigrationRow.load(in: session) {
            guard row.isDone, row.number == version + 1 else { break }
            version = row.number
        }
        return version
    }
}

extension Schema {
    private static let writable = SQLStatement(
        "check writable", "SELECT @@global.read_only = 0 AND @@innodb_read_only = 0")

    /// Opens every table that a request may need; fails if one is missing.
    private static let tables = SQLStatement(
        "check tables",
        """
        SELECT u.user_id FROM users u, purchases, apple_iap_transactions, signed_headers, signed_texts, ledger_entries,
            notes, subscriptions, account_tokens, catalog_versions, purchase_holders, installation_keys,
            signing_keys, api_keys, audit_entries, audit_notes, audit_heads, idempotency_keys,
            waiting_statements, inbox_deliveries, inbox_texts, jobs, purchase_numbers, delivery_mentions,
            mentions, standings, standing_answers, payment_amounts, history_walks, apple_pauses,
            consumption_requests, lookups, chains, notification_reads, reconciliations, staff, staff_sessions,
            staff_tries, instances, refused_claims
        LIMIT 0
        """)

    /// The schema's version, from a server that takes writes and has all tables. A plain `SELECT 1` would also succeed
    /// on a server that can do neither. Throws when the database is away, takes no writes, or lacks a table of an
    /// accepted version.
    package static func writableVersion(in pool: Pool) async throws(ServiceFailure) -> Int {
        try await pool.ask { (session) throws(DatabaseError) in
            guard try session.query(writable).first?.bool(0) == true else {
                throw DatabaseError(.unavailable, statement: writable.name)
            }
            let version = try version(in: session)
            if version >= accepted.lowerBound { _ = try session.query(tables) }
            return version
        }
    }
}

extension Schema {
    /// Creates the database `name` on the server that `settings` lead to, unless it exists. Repeat is safe. Throws when
    /// the server is away.
    package static func create(_ name: String, with settings: ConnectionSettings) async throws(ServiceFailure) {
        let statement = SQLStatement(
            "create schema", "CREATE DATABASE IF NOT EXISTS `\(name.replacing("`", with: "``"))`")
        do {
            let connection = try await Connection.open(settings, name: "setup")
            let made: Result<Void, DatabaseError>
            do {
                made = .success(
                    try await connection.with { (session) throws(DatabaseError) in try session.run(statement) })
            } catch {
                made = .failure(error)
            }
            await connection.close()
            try made.get()
        } catch {
            throw ServiceFailure(error)
        }
    }
}

package import MariaDB

/// Which schemas this program works with.
///
/// Migrations within the same hundred only add what older programs may ignore and take away what none of them names, so
/// that old and new instances run side by side during an upgrade; any other opens the next hundred.
package enum Schema {
    /// From the newest migration this program needs to the last that may follow it without harm.
    package static let accepted = 25...99

    /// The number of the last step that is done, all before it being done too; 0 for an empty database.
    /// Throws when the database is away.
    package static func version(in pool: Pool) async throws(ServiceFailure) -> Int {
        try await pool.ask { (session) throws(DatabaseError) in try version(in: session) }
    }

    /// The version within a session. Throws when the database is away.
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

    /// Opens every table that a request may need, and fails where one is missing.
    private static let tables = SQLStatement(
        "check tables",
        """
        SELECT u.user_id FROM users u, purchases, apple_iap_transactions, signed_headers, signed_texts, ledger_entries,
            notes, subscriptions, account_tokens, catalog_versions, purchase_holders, installation_keys,
            signing_keys, api_keys, audit_entries, audit_notes, audit_heads, idempotency_keys,
            waiting_statements, inbox_deliveries, inbox_texts, jobs, purchase_numbers, delivery_mentions,
            mentions
        LIMIT 0
        """)

    /// The version, read together with whether this server takes writes and has all tables: `SELECT 1` answers on a
    /// node that has and can do nothing. Throws when the database is away, takes no writes or lacks a table of an
    /// accepted schema.
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
    /// Makes the database `name` on the server that `settings` lead to, unless it is there; repeat is safe.
    /// Throws when the server is away.
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

package import MariaDB

/// The settings of a database server that make an acknowledged commit survive kill -9 and a power loss.
package enum Durability {
    private static let settings = SQLStatement(
        "read durability",
        "SELECT @@innodb_flush_log_at_trx_commit = 1, @@innodb_doublewrite <> 'OFF', NOT @@log_bin OR @@sync_binlog = 1"
    )

    private static let names = [
        "innodb_flush_log_at_trx_commit is not 1", "innodb_doublewrite is off",
        "log_bin is on and sync_binlog is not 1",
    ]

    /// Descriptions of the settings that are wrong on the server; empty if none is. Throws when the database is away.
    package static func defects(in pool: Pool) async throws(ServiceFailure) -> [String] {
        try await pool.ask { (session) throws(DatabaseError) in
            guard let row = try session.query(settings).first else { return [] }
            var defects: [String] = []
            for (column, name) in names.enumerated() where try !row.bool(column) { defects.append(name) }
            return defects
        }
    }
}

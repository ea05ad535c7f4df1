package import Entitlements
package import MariaDB

/// A database server as it describes itself.
package struct DatabaseServer: Hashable, Sendable {
    private static let facts = SQLStatement(
        "describe server",
        """
        SELECT VERSION(), CAST(UNIX_TIMESTAMP(SYSDATE(3)) * 1000 AS SIGNED),
            @@global.read_only = 0 AND @@innodb_read_only = 0
        """)

    /// The version as the server writes it, such as `10.11.19-MariaDB`.
    package let version: String
    /// The server's clock at the reading.
    package let now: Instant
    package let takesWrites: Bool

    /// Reads the description; nil only if the server returns no row. Throws when the database is away.
    package static func read(in pool: Pool) async throws(ServiceFailure) -> DatabaseServer? {
        try await pool.ask { (session) throws(DatabaseError) in
            try session.query(facts) { (row) throws(DatabaseError) in
                DatabaseServer(
                    version: try row.text(0), now: Instant(milliseconds: try row.int64(1)),
                    takesWrites: try row.bool(2))
            }.first
        }
    }
}

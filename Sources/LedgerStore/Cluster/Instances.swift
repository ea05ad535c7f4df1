package import Entitlements
package import MariaDB

/// The servers that run on this database, each with the database server that it writes to.
///
/// Instances that write to different nodes of a Galera cluster do no harm and are slower, so operators want to know.
package struct Instances: Sendable {
    /// The interval in milliseconds at which an instance says that it runs.
    package static let interval: Int64 = 10_000
    /// The time in milliseconds after which a silent instance counts as gone.
    private static let patience: Int64 = 35_000
    /// The time in milliseconds for which the row of a silent instance is kept.
    private static let keptTime: Int64 = 3_600_000

    private static let note = SQLStatement(
        "note instance",
        """
        INSERT INTO instances (id, node, seen_at) VALUES (?, ?, ?)
        ON DUPLICATE KEY UPDATE node = VALUES(node), seen_at = VALUES(seen_at)
        """)
    private static let sweep = SQLStatement("sweep instances", "DELETE FROM instances WHERE seen_at < ?")
    private static let remove = SQLStatement("remove instance", "DELETE FROM instances WHERE id = ?")
    private static let count = SQLStatement(
        "count instances", "SELECT node, COUNT(*) FROM instances WHERE seen_at > ? GROUP BY node ORDER BY node")

    private let pool: Pool
    private let now: @Sendable () -> Instant

    /// - Parameter now: Real time, because instances run in real time.
    package init(pool: Pool, now: @escaping @Sendable () -> Instant) {
        self.pool = pool
        self.now = now
    }

    /// Says that the instance `id` runs and which database server it writes to. Throws when the database is away.
    package func note(_ id: UInt64) async throws(ServiceFailure) {
        let now = now()
        try await pool.commit { (session) throws(DatabaseError) in
            try session.execute(Self.note, [.uint64(id), .text(session.serverName), .int64(now.milliseconds)])
            try session.execute(Self.sweep, [.int64((now + -Self.keptTime).milliseconds)])
        }
    }

    /// Says that the instance `id` runs no more. Throws when the database is away; the row then grows old by itself.
    package func end(_ id: UInt64) async throws(ServiceFailure) {
        try await pool.commit { (session) throws(DatabaseError) in try session.execute(Self.remove, [.uint64(id)]) }
    }

    /// The number of instances that run, by the name of the database server that they write to. Throws when the
    /// database is away.
    package func running() async throws(ServiceFailure) -> [(node: String, count: Int)] {
        let limit = now() + -Self.patience
        return try await pool.ask { (session) throws(DatabaseError) in
            try session.query(Self.count, [.int64(limit.milliseconds)]) { (row) throws(DatabaseError) in
                (try row.text(0), try row.int(1))
            }
        }
    }
}

package import MariaDB

/// The servers that run on this database, each with the database server that it writes to.
///
/// Instances that write to different nodes of a Galera cluster do no harm and are slower, so operators want to know.
/// Their rows have the database's time, so that their own clocks do not matter.
package struct Instances: Sendable {
    /// The interval at which an instance says that it runs.
    package static let interval = Duration.seconds(10)

    /// SQL for the present in milliseconds.
    private static let now = "CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED)"

    private static let note = SQLStatement(
        "note instance",
        """
        INSERT INTO instances (id, node, seen_at) VALUES (?, ?, \(now))
        ON DUPLICATE KEY UPDATE node = VALUES(node), seen_at = VALUES(seen_at)
        """)

    /// Removes the rows of instances that were silent for an hour.
    private static let sweep = SQLStatement(
        "sweep instances", "DELETE FROM instances WHERE seen_at < \(now) - 3600000")

    /// Counts the instances that were seen in the last 35 seconds.
    private static let count = SQLStatement(
        "count instances",
        "SELECT node, COUNT(*) FROM instances WHERE seen_at > \(now) - 35000 GROUP BY node ORDER BY node")

    private static let noSuchTable = 1146

    private let pool: Pool

    package init(pool: Pool) { self.pool = pool }

    /// Says that the instance `id` runs and which database server it writes to. Throws when the database is away.
    package func note(_ id: UInt64) async throws(ServiceFailure) {
        try await pool.commit { (session) throws(DatabaseError) in
            try session.execute(Self.note, [.uint64(id), .text(session.serverName)])
            try session.execute(Self.sweep)
        }
    }

    /// The number of instances that run, by the name of the database server that they write to; none before the
    /// database has the table. Throws when the database is away.
    package func running() async throws(ServiceFailure) -> [(node: String, count: Int)] {
        do {
            return try await pool.ask { (session) throws(DatabaseError) in
                try session.query(Self.count) { (row) throws(DatabaseError) in (try row.text(0), try row.int(1)) }
            }
        } catch  where error.code == Self.noSuchTable {
            return []
        }
    }
}

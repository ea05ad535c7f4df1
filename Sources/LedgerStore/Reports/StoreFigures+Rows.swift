import Entitlements
import MariaDB

/// Counts of rows, each by an index and up to a limit.
extension StoreFigures {
    private static let jobs = SQLStatement(
        "count jobs",
        """
        SELECT kind, COUNT(IF(died_at IS NULL AND due_at <= ?, 1, NULL)), COUNT(IF(died_at IS NULL, 1, NULL)),
            COUNT(died_at), MIN(IF(died_at IS NULL, GREATEST(due_at, created_at), NULL))
        FROM (
            (SELECT kind, due_at, created_at, died_at FROM jobs FORCE INDEX (by_due) WHERE died_at IS NULL
            ORDER BY due_at LIMIT ?)
            UNION ALL
            (SELECT kind, due_at, created_at, died_at FROM jobs FORCE INDEX (by_due) WHERE died_at IS NOT NULL LIMIT ?)
        ) j
        GROUP BY kind
        """)

    private static let unsettled = SQLStatement(
        "count unsettled deliveries",
        """
        SELECT source, state, reason, COUNT(*)
        FROM (
            (SELECT source, state, reason FROM inbox_deliveries FORCE INDEX (by_state) WHERE state = 'parked' LIMIT ?)
            UNION ALL
            (SELECT source, state, reason FROM inbox_deliveries FORCE INDEX (by_state) WHERE state = 'quarantined'
            LIMIT ?)
        ) d
        GROUP BY source, state, reason
        """)

    private static let lastDeliveries = SQLStatement(
        "read last deliveries",
        """
        SELECT source, environment, MAX(received_at) FROM inbox_deliveries FORCE INDEX (by_source)
        GROUP BY source, environment
        """)

    /// The counts of jobs, one for each kind, also where there is no job.
    static func jobs(at now: Instant, limit: Int, in session: Session) throws(DatabaseError) -> [Jobs] {
        var counted: [JobKind: Jobs] = [:]
        for row in try session.query(jobs, [.int64(now.milliseconds), Value(limit), Value(limit)]) {
            // A kind that only a newer version knows is left to servers of that version.
            guard let kind = JobKind(rawValue: try row.text(0)) else { continue }
            let due = try row.int(1)
            let oldest = due > 0 ? try row.optionalInt64(4) : nil
            counted[kind] = Jobs(
                kind: kind, due: due, later: try row.int(2) - due, dead: try row.int(3),
                oldestDueAt: oldest.map(Instant.init(milliseconds:)))
        }
        return JobKind.allCases.map {
            counted[$0] ?? Jobs(kind: $0, due: 0, later: 0, dead: 0, oldestDueAt: nil)
        }
    }

    /// The counts of parked and quarantined deliveries, by source, result and reason.
    static func unsettled(limit: Int, in session: Session) throws(DatabaseError) -> [Unsettled] {
        try session.query(unsettled, [Value(limit), Value(limit)]) { (row) throws(DatabaseError) in
            Unsettled(
                source: Source(try row.text(0)), outcome: try InboxDeliveryRow.outcome(row, at: 1),
                count: try row.int(3))
        }
    }

    /// The last delivery of each source in each environment.
    static func lastDeliveries(in session: Session) throws(DatabaseError) -> [LastDelivery] {
        try session.query(lastDeliveries, []) { (row) throws(DatabaseError) in
            guard let environment = StoreEnvironment(rawValue: try row.text(1)) else { throw row.malformed(1) }
            return LastDelivery(
                source: Source(try row.text(0)), environment: environment,
                receivedAt: Instant(milliseconds: try row.int64(2)))
        }
    }
}

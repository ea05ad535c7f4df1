package import Entitlements
import MariaDB

/// A list of work that waits for a person: how much waits, and since when.
package struct WaitingWork: Hashable, Sendable {
    /// The number of things, at most ``limit``.
    package let count: Int
    /// The instant since which the oldest waits; nil if that is not known, or nothing waits.
    package let oldestAt: Instant?

    /// The limit of each count, so that counting is cheap.
    package static let limit = 1_000

    package init(count: Int, oldestAt: Instant?) {
        self.count = count
        self.oldestAt = oldestAt
    }
}

extension OperatorReader {
    private static let parked = SQLStatement(
        "count parked deliveries",
        """
        SELECT COUNT(*), MIN(received_at) FROM (
            SELECT received_at FROM inbox_deliveries FORCE INDEX (by_state) WHERE state = 'parked' LIMIT ?) d
        """)

    private static let dead = SQLStatement(
        "count dead jobs",
        """
        SELECT COUNT(*), MIN(died_at) FROM (
            SELECT died_at FROM jobs FORCE INDEX (by_due) WHERE died_at IS NOT NULL LIMIT ?) j
        """)

    /// The deliveries that are parked, and the jobs that are given up. Throws when the database is away.
    package func waitingWork() async throws(ServiceFailure) -> (parked: WaitingWork, dead: WaitingWork) {
        try await pool.ask { (session) throws(DatabaseError) in
            let parked = try Self.waiting(Self.parked, in: session)
            let dead = try Self.waiting(Self.dead, in: session)
            return (parked, dead)
        }
    }

    private static func waiting(
        _ statement: SQLStatement, in session: Session
    ) throws(DatabaseError) -> WaitingWork {
        guard let row = try session.query(statement, [Value(WaitingWork.limit)]).first else {
            return WaitingWork(count: 0, oldestAt: nil)
        }
        return WaitingWork(
            count: try row.int(0), oldestAt: try row.optionalInt64(1).map(Instant.init(milliseconds:)))
    }
}

package import Entitlements
import MariaDB

/// The numbers of users by what they have now, and by the day on which it ends.
package struct UserSummary: Hashable, Sendable {
    /// The number of users of whom these are the same.
    package struct Group: Hashable, Sendable {
        package let state: Status.State
        package let tier: TierID?
        package let source: Source?
        package let environment: StoreEnvironment?
        package let users: Int
    }

    /// The groups that have users, in the order of their members.
    package let groups: [Group]
    /// The beginning of the first day, in UTC.
    package let firstDay: Instant
    /// The number of users whose `expiresAt` is on each day. Ends before the present do not count.
    package let ending: [Int]
}

extension OperatorReader {
    private static let groups = SQLStatement(
        "count users",
        """
        SELECT state, tier, source, environment, COUNT(*) FROM standings FORCE INDEX (by_state)
        GROUP BY state, tier, source, environment ORDER BY state, tier, source, environment
        """)

    private static let ending = SQLStatement(
        "count users by end",
        """
        SELECT (ends_at - ?) DIV ? ends_on, COUNT(*) FROM standings FORCE INDEX (by_end)
        WHERE ends_at >= ? AND ends_at < ? GROUP BY ends_on
        """)

    /// The numbers of users, with the ends from `now` on in `days` days, the first of which is today. Throws when the
    /// database is away.
    package func userSummary(at now: Instant, days: Int) async throws(ServiceFailure) -> UserSummary {
        let day = Instant.millisecondsPerDay
        let today = now + -(now.milliseconds % day)
        return try await pool.ask { (session) throws(DatabaseError) in
            let groups = try session.query(Self.groups) { (row) throws(DatabaseError) in
                guard let state = Status.State(rawValue: try row.text(0)) else { throw row.malformed(0) }
                return UserSummary.Group(
                    state: state, tier: try row.optionalText(1).map { TierID($0) },
                    source: try row.optionalText(2).map { Source($0) },
                    environment: try row.optionalText(3).flatMap(StoreEnvironment.init), users: try row.int(4))
            }
            var ending = [Int](repeating: 0, count: days)
            let last = today + Int64(days) * day
            for row in try session.query(
                Self.ending,
                [.int64(today.milliseconds), .int64(day), .int64(now.milliseconds), .int64(last.milliseconds)])
            {
                ending[try row.int(0)] = try row.int(1)
            }
            return UserSummary(groups: groups, firstDay: today, ending: ending)
        }
    }
}

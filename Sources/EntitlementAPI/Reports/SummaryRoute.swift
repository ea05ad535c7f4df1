import Entitlements
import Hummingbird
import LedgerStore

/// `GET /api/admin/summary`: the numbers of users by what they have now, and by the day on which it ends.
package enum SummaryRoute {
    /// The number of days by which ends are counted, the first of which is today.
    package static let days = 30

    /// - Throws: `unavailable`.
    static func respond(to call: ServerCall) async throws(Problem) -> Response {
        let (summary, overdue) = try await call.served { store in
            let summary = try await store.reports.userSummary(at: call.now, days: days)
            let overdue = try await store.standings.overdue(limit: StoreFigures.limit)
            return (summary, overdue)
        }
        return .json(
            JSONWriter.object { json in
                json.member("as_of", exactly: "as_of_ms", call.now)
                json.member("users", summary.groups.reduce(0) { $0 + $1.users })
                json.member("groups", objects: summary.groups) { json, group in
                    json.member("state", group.state.rawValue)
                    json.member("tier", group.tier?.text)
                    json.member("source", group.source?.text)
                    json.member("environment", group.environment?.rawValue)
                    json.member("users", group.users)
                }
                json.member("ending", objects: summary.ending.enumerated()) { json, ending in
                    let day = summary.firstDay + Int64(ending.offset) * Instant.millisecondsPerDay
                    json.member("day", String(RFC3339.text(of: day).prefix(10)))
                    json.member("users", ending.element)
                }
                json.member("overdue", overdue.count)
            })
    }
}

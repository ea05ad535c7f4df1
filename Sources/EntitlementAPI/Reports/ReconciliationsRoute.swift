import Entitlements
import Hummingbird
package import LedgerStore

/// `GET /api/admin/reconciliations`: the runs of `gatepass reconcile apple` and what they found, the last begun first.
enum ReconciliationsRoute {
    /// - Throws: `invalid_request` for a malformed limit or cursor, `unavailable`.
    static func respond(to call: ServerCall) async throws(Problem) -> Response {
        let page = try PageRequest(try Query(call.request.uri.query), of: "reconciliations")
        let runs = try await call.served {
            try await $0.reports.reconciliations(before: page.before, limit: page.limit + 1)
        }
        return .json(page.body(of: ListPage(runs, limit: page.limit, number: \.id)) { $0.members(of: $1) })
    }
}

extension Reconciliation {
    /// The JSON of a run for operators (`api.md`, "Reconciliations").
    package var json: [UInt8] { JSONWriter.object { $0.members(of: self) } }
}

extension JSONWriter {
    /// Writes the members of a run into an object that has been begun.
    fileprivate mutating func members(of run: Reconciliation) {
        member("id", String(run.id))
        member("begun_at", exactly: "begun_at_ms", run.begunAt)
        member("ended_at", exactly: "ended_at_ms", run.endedAt)
        member("since", exactly: "since_ms", run.since)
        member("one_user", run.isOfOneUser)
        member("users", run.users)
        member("missed", run.missed)
        member("notifications", run.notifications)
        member("purchases", run.purchases)
        member("statements", run.statements)
        member("refused", run.refused)
        name("unlisted")
        array(run.unlisted) { $0.value($1) }
    }
}

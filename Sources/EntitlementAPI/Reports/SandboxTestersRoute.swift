import Entitlements
import Hummingbird
import LedgerStore

/// `GET /api/admin/sandbox-testers`: the users who are on the list now, the last user seen for the first
/// time first.
enum SandboxTestersRoute {
    /// - Throws: `invalid_request` for a limit or a cursor that is none, `unavailable`.
    static func respond(to call: ServerCall) async throws(Problem) -> Response {
        let page = try PageRequest(try Query(call.request.uri.query), of: "sandbox-testers")
        let testers = try await call.served {
            try await $0.reports.sandboxTesters(before: page.before, limit: page.limit)
        }
        return .json(
            page.body(of: testers.rows, next: testers.next) { json, tester in
                json.beginObject()
                json.member("user_id", tester.user.text)
                json.member("named_at", exactly: "named_at_ms", tester.namedAt)
                json.endObject()
            })
    }
}

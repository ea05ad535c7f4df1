import Entitlements
import Hummingbird
import LedgerStore

/// `GET /api/admin/conflicts`: Apple accounts whose purchases several users have, the last heard of first.
enum ConflictsRoute {
    /// - Throws: `invalid_request` for a limit or a cursor that is none, `unavailable`.
    static func respond(to call: ServerCall) async throws(Problem) -> Response {
        let page = try PageRequest(try Query(call.request.uri.query), of: "conflicts")
        let found = try await call.served { try await $0.reports.conflicts(before: page.before, limit: page.limit) }
        return .json(page.body(of: found.rows, next: found.next) { $0.append($1) })
    }
}

extension JSONWriter {
    fileprivate mutating func append(_ conflict: AccountConflict) {
        beginObject()
        member("apple_account", conflict.account.text)
        member("app", conflict.app.text)
        member("environment", conflict.environment.rawValue)
        name("users")
        array(conflict.owners) { json, owner in
            json.beginObject()
            json.member("user_id", owner.user?.text)
            json.member("purchases", owner.purchases)
            json.endObject()
        }
        endObject()
    }
}

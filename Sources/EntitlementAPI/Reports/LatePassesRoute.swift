import Entitlements
import Hummingbird
import LedgerStore

/// `GET /api/admin/ended-before-attached`: late passes, the last recorded first.
enum LatePassesRoute {
    /// - Throws: `invalid_request` for a malformed limit or cursor, `unavailable`.
    static func respond(to call: ServerCall) async throws(Problem) -> Response {
        let page = try PageRequest(try Query(call.request.uri.query), of: "ended-before-attached")
        let found = try await call.inTurn(at: .lists) { () async throws(Problem) in
            try await call.served {
                try await LatePass.page(before: page.before, limit: page.limit, in: $0, at: call.now)
            }
        }
        return .json(
            page.body(of: found) { json, pass in
                json.member("user_id", pass.owner.text)
                json.members(of: pass.subscription.key)
                json.member("product_id", pass.subscription.productID?.text)
                json.member("tier", pass.subscription.tier.text)
                json.member("ended_at", exactly: "ended_at_ms", pass.subscription.expiresAt)
                json.member("attached_at", exactly: "attached_at_ms", pass.attachedAt)
                json.member("made_good_by", pass.grant?.text)
            })
    }
}

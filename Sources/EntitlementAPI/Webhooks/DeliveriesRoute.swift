import Entitlements
import Hummingbird
import LedgerStore

/// `GET /api/admin/webhooks`: stores' deliveries and their results, the last received first.
enum DeliveriesRoute {
    /// - Throws: `invalid_request` for a malformed state, reason, limit or cursor, `unavailable`.
    static func respond(to call: ServerCall) async throws(Problem) -> Response {
        let query = try Query(call.request.uri.query)
        let page = try PageRequest(query, of: "webhooks")
        let state: DeliveryResult? = try query.choice("state")
        let reason: DeliveryReason? = try query.choice("reason")
        let rows = try await call.served {
            try await $0.reports.deliveries(before: page.before, limit: page.limit + 1, of: state, because: reason)
        }
        return .json(page.body(of: ListPage(rows, limit: page.limit, number: \.id)) { $0.members(of: $1) })
    }

    /// `POST /api/admin/webhooks/{delivery_id}/replay`: places a stored delivery again.
    static let replay = Routes.idempotent(onRow: "delivery_id") {
        try await $0.inbox.replay($1, by: $2, reason: $3, audit: $0.audit)?.json
    }
}

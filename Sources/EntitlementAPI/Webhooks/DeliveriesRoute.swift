import Entitlements
import Hummingbird
import LedgerStore

/// `GET /api/admin/webhooks`: stores' deliveries and their results, the last received first.
enum DeliveriesRoute {
    /// - Throws: `invalid_request` for a malformed filter, limit or cursor, `unavailable`.
    static func respond(to call: ServerCall) async throws(Problem) -> Response {
        let query = try Query(call.request.uri.query)
        let page = try PageRequest(query, of: "webhooks")
        let state: DeliveryResult? = try query.choice("state")
        let reason: DeliveryReason? = try query.choice("reason")
        let source = try query.name("source", among: StoreInbox.sources)
        let user = try query.user("user_id")
        let (start, end) = (try query.instant("from"), try query.instant("to"))
        if let start, let end, end <= start {
            throw .invalidRequest("The parameter must be later than from.", at: "?to")
        }
        let rows = try await call.served { store in
            var named: [UInt64]?
            if let user { named = try await store.reports.deliveries(naming: user, under: store.labels) }
            return try await store.reports.deliveries(
                before: page.before, limit: page.limit + 1, of: state, because: reason, from: source, since: start,
                until: end, among: named)
        }
        return .json(page.body(of: ListPage(rows, limit: page.limit, number: \.id)) { $0.members(of: $1) })
    }

    /// `POST /api/admin/webhooks/{delivery_id}/replay`: places a stored delivery again.
    static let replay = Routes.idempotent(
        .replayDelivery, onRow: "delivery_id",
        previewedBy: { try await $0.inbox.previewedReplay(of: $1).map { $0.preview.bytes(beside: $0.delivery.json) } }
    ) {
        try await $0.inbox.replay($1, by: $2, reason: $3, audit: $0.audit)?.json
    }
}

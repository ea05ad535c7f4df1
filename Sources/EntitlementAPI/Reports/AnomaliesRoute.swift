import Entitlements
import Hummingbird
import LedgerStore

/// `GET /api/admin/anomalies`: genuine purchases with an anomaly and its reason, the last recorded first.
enum AnomaliesRoute {
    /// - Throws: `invalid_request` for a malformed limit, cursor or reason, `unavailable`.
    static func respond(to call: ServerCall) async throws(Problem) -> Response {
        let query = try Query(call.request.uri.query)
        let page = try PageRequest(query, of: "anomalies")
        let reason: Anomaly? = try query.choice("reason")
        let found = try await call.inTurn(at: .lists) { () async throws(Problem) in
            try await call.served {
                try await ConfirmedAnomaly.page(
                    of: reason, before: page.before, limit: page.limit, in: $0, at: call.now)
            }
        }
        return .json(
            page.body(of: found) { json, row in
                json.member("user_id", row.owner?.text)
                json.members(of: row.key)
                json.member("product_id", row.product.text)
                json.member("recorded_at", exactly: "recorded_at_ms", row.recordedAt)
                json.member("reason", row.anomaly.rawValue)
            })
    }
}

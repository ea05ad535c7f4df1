import Entitlements
import Hummingbird
import LedgerStore

/// `GET /api/admin/anomalies`: genuine purchases with an anomaly and its reason, the last recorded first.
///
/// The database gives candidates. A purchase that a user owns is listed only if the timeline of its owner confirms the
/// anomaly.
enum AnomaliesRoute {
    /// - Throws: `invalid_request` for a malformed limit, cursor or reason, `unavailable`.
    static func respond(to call: ServerCall) async throws(Problem) -> Response {
        let query = try Query(call.request.uri.query)
        let page = try PageRequest(query, of: "anomalies")
        let reason: Anomaly? = try query.choice("reason")
        let found = try await call.served {
            try await $0.reports.anomalyCandidates(
                before: page.before, limit: page.limit, of: reason, given: call.api.catalogue)
        }
        var (ledgers, timelines): ([UserID: UserLedger], [UserID: Timeline]) = ([:], [:])
        for owner in Set(found.rows.compactMap(\.owner)) {
            let ledger = try await call.ledger(of: owner)
            (ledgers[owner], timelines[owner]) = (ledger, call.timeline(of: ledger))
        }
        var rows: [(candidate: AnomalyCandidate, anomaly: Anomaly, product: ProductID, recordedAt: Instant)] = []
        for candidate in found.rows {
            guard let anomaly = anomaly(of: candidate, in: timelines, at: call.now),
                let last = candidate.last ?? candidate.owner.flatMap({ ledgers[$0]?.last(of: candidate.key) }),
                reason == nil || anomaly == reason
            else { continue }
            rows.append((candidate, anomaly, last.state.productID, last.recordedAt))
        }
        return .json(
            page.body(of: ListPage(rows: rows, next: found.next)) { json, row in
                json.member("user_id", row.candidate.owner?.text)
                json.members(of: row.candidate.key)
                json.member("product_id", row.product.text)
                json.member("recorded_at", exactly: "recorded_at_ms", row.recordedAt)
                json.member("reason", row.anomaly.rawValue)
            })
    }

    /// The anomaly of a purchase; nil if the purchase is in order in its owner's timeline.
    private static func anomaly(
        of candidate: AnomalyCandidate, in timelines: [UserID: Timeline], at now: Instant
    ) -> Anomaly? {
        guard let owner = candidate.owner else { return .unowned }
        let unreadable = candidate.hasUnreadable ? Anomaly.unreadableFields : nil
        return timelines[owner]?.anomaly(of: candidate.key, at: now) ?? unreadable
    }
}

extension UserLedger {
    /// The state of the purchase `key` that was recorded last, and the instant of its recording.
    fileprivate func last(of key: PurchaseKey) -> (state: VerifiedPurchase, recordedAt: Instant)? {
        entries.lazy.reversed().compactMap { entry in
            entry.fact.state.flatMap { $0.key == key ? ($0, entry.recordedAt) : nil }
        }.first
    }
}

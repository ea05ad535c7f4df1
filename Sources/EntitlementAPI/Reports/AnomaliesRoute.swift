import Entitlements
import Hummingbird
import LedgerStore

/// `GET /api/admin/anomalies`: genuine purchases that operators have to look at, and why, the last recorded first.
///
/// The tables name candidates; a purchase that somebody has is listed only if its owner's ledger says so.
enum AnomaliesRoute {
    /// - Throws: `invalid_request` for a limit, a cursor or a reason that is none, `unavailable`.
    static func respond(to call: ServerCall) async throws(Problem) -> Response {
        let query = try Query(call.request.uri.query)
        let page = try PageRequest(query, of: "anomalies")
        let reason = try reason(in: query)
        let found = try await call.served {
            try await $0.reports.anomalyCandidates(
                before: page.before, limit: page.limit, of: reason, given: call.api.catalogue)
        }
        var timelines: [UserID: Timeline] = [:]
        for owner in Set(found.rows.compactMap(\.owner)) {
            timelines[owner] = call.timeline(of: try await call.ledger(of: owner))
        }
        let rows = found.rows.compactMap { AnomalousPurchase($0, in: timelines, at: call.now) }
            .filter { reason == nil || $0.anomaly == reason }
        return .json(page.body(of: rows, next: found.next) { $0.append($1) })
    }

    private static func reason(in query: Query) throws(Problem) -> Anomaly? {
        guard let text = try query.text("reason") else { return nil }
        guard let reason = Anomaly(rawValue: text) else {
            let names = Anomaly.allCases.map(\.rawValue).joined(separator: ", ")
            throw .invalidRequest("The parameter must be one of \(names).", at: "?reason")
        }
        return reason
    }
}

/// A purchase to look at, and why.
private struct AnomalousPurchase {
    let candidate: AnomalyCandidate
    let anomaly: Anomaly

    /// Nil for a purchase that is in order in its owner's timeline.
    init?(_ candidate: AnomalyCandidate, in timelines: [UserID: Timeline], at now: Instant) {
        self.candidate = candidate
        guard let owner = candidate.owner else {
            anomaly = .unowned
            return
        }
        let unreadable = candidate.hasUnreadable ? Anomaly.unreadableFields : nil
        guard let anomaly = timelines[owner]?.anomaly(of: candidate.state.key, at: now) ?? unreadable else {
            return nil
        }
        self.anomaly = anomaly
    }
}

extension JSONWriter {
    fileprivate mutating func append(_ purchase: AnomalousPurchase) {
        let candidate = purchase.candidate
        beginObject()
        member("user_id", candidate.owner?.text)
        members(of: candidate.state.key)
        member("product_id", candidate.state.productID.text)
        member("recorded_at", exactly: "recorded_at_ms", candidate.recordedAt)
        member("reason", purchase.anomaly.rawValue)
        endObject()
    }
}

import Entitlements
import Hummingbird
import LedgerStore

/// `GET /api/admin/ended-before-attached`: late passes, the last recorded first (`semantics.md` §6, *Ended before
/// attached*).
///
/// The database gives candidates. A pass is listed only if the timeline of its owner confirms that it is late.
enum LatePassesRoute {
    /// - Throws: `invalid_request` for a malformed limit or cursor, `unavailable`.
    static func respond(to call: ServerCall) async throws(Problem) -> Response {
        let page = try PageRequest(try Query(call.request.uri.query), of: "ended-before-attached")
        let found = try await call.served {
            try await $0.reports.latePassCandidates(before: page.before, limit: page.limit)
        }
        let labels = try call.labels()
        var late: [(owner: UserID, subscription: Subscription, attachedAt: Instant, grant: ExternalID?)] = []
        for row in found.rows {
            let timeline = call.timeline(of: try await call.ledger(of: row.owner))
            guard timeline.disposition(of: row.key, at: call.now) == .endedBeforeAttached,
                let purchase = timeline.purchases.first(where: { $0.key == row.key }),
                let subscription = timeline.subscriptions.first(where: { $0.key == row.key })
            else { continue }
            // The grant that made the pass good, whether or not it was revoked.
            let grant = Grant.key(Principal.nameForGood(row.key, under: labels))
            let isGood = timeline.purchases.contains { $0.key == grant }
            late.append((row.owner, subscription, purchase.boundAt, isGood ? grant.externalID : nil))
        }
        return .json(
            page.body(of: ListPage(rows: late, next: found.next)) { json, pass in
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

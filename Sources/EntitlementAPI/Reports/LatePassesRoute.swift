import Entitlements
import Hummingbird
import LedgerStore

/// `GET /api/admin/ended-before-attached`: passes that had run out before they were attached, the last recorded first.
///
/// The tables name what may be one; each is listed only if its owner's ledger says so.
enum LatePassesRoute {
    /// - Throws: `invalid_request` for a limit or a cursor that is none, `unavailable`.
    static func respond(to call: ServerCall) async throws(Problem) -> Response {
        let page = try PageRequest(try Query(call.request.uri.query), of: "ended-before-attached")
        let late = try await call.served {
            try await $0.reports.latePassCandidates(before: page.before, limit: page.limit)
        }
        let labels = try call.labels()
        var rows: [LatePass] = []
        for member in late.rows {
            let timeline = call.timeline(of: try await call.ledger(of: member.owner))
            if let row = LatePass(member, in: timeline, at: call.now, under: labels) { rows.append(row) }
        }
        return .json(page.body(of: rows, next: late.next) { $0.append($1) })
    }
}

/// A pass that had run out before it was attached.
private struct LatePass {
    let owner: UserID
    let subscription: Subscription
    let attachedAt: Instant
    /// The grant that made the pass good, whether or not it was revoked.
    let grant: ExternalID?

    /// Nil for a purchase that stands otherwise.
    init?(_ member: LatePassCandidate, in timeline: Timeline, at now: Instant, under labels: Labels) {
        guard timeline.standing(of: member.key, at: now) == .endedBeforeAttached,
            let purchase = timeline.purchases.first(where: { $0.key == member.key }),
            let subscription = timeline.subscriptions.first(where: { $0.key == member.key })
        else { return nil }
        let made = Grant.key(MakeGoodRoute.nameForGood(member.key, under: labels))
        owner = member.owner
        self.subscription = subscription
        attachedAt = purchase.boundAt
        grant = timeline.purchases.contains { $0.key == made } ? made.externalID : nil
    }
}

extension JSONWriter {
    fileprivate mutating func append(_ pass: LatePass) {
        let subscription = pass.subscription
        beginObject()
        member("user_id", pass.owner.text)
        members(of: subscription.key)
        member("product_id", subscription.productID?.text)
        member("tier", subscription.tier.text)
        member("ended_at", exactly: "ended_at_ms", subscription.expiresAt)
        member("attached_at", exactly: "attached_at_ms", pass.attachedAt)
        member("made_good_by", pass.grant?.text)
        endObject()
    }
}

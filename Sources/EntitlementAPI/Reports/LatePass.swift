package import Entitlements
package import LedgerStore

/// A pass that had ended before it was attached, confirmed by the timeline of its owner (`semantics.md` §6, *Ended
/// before attached*).
package struct LatePass: Sendable {
    package let owner: UserID
    package let subscription: Subscription
    package let attachedAt: Instant
    /// The grant that made the pass good, whether or not it was revoked; nil if none did.
    package let grant: ExternalID?

    /// A page of late passes, the last recorded first. The database gives candidates. Throws when the database is away.
    package static func page(
        before id: UInt64?, limit: Int, in store: Store, at now: Instant
    ) async throws(ServiceFailure) -> ListPage<LatePass> {
        let context = store.foldContext
        let found = try await store.reports.latePassCandidates(before: id, limit: limit)
        var (late, timelines): ([LatePass], [UserID: Timeline]) = ([], [:])
        for row in found.rows {
            let timeline: Timeline
            if let folded = timelines[row.owner] {
                timeline = folded
            } else {
                let ledger = try await store.reader.ledger(of: row.owner)
                timeline = Timeline(folding: ledger, given: context.catalogue, settings: context.settings)
                timelines[row.owner] = timeline
            }
            guard timeline.disposition(of: row.key, at: now) == .endedBeforeAttached,
                let purchase = timeline.purchases.first(where: { $0.key == row.key }),
                let subscription = timeline.subscriptions.first(where: { $0.key == row.key })
            else { continue }
            let grant = Grant.key(Principal.nameForGood(row.key, under: store.labels))
            let isGood = timeline.purchases.contains { $0.key == grant }
            late.append(
                LatePass(
                    owner: row.owner, subscription: subscription, attachedAt: purchase.boundAt,
                    grant: isGood ? grant.externalID : nil))
        }
        return ListPage(rows: late, next: found.next)
    }
}

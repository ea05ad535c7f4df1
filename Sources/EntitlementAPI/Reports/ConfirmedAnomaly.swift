package import Entitlements
package import LedgerStore

/// A genuine purchase with an anomaly, confirmed by the timeline of its owner.
package struct ConfirmedAnomaly: Sendable {
    /// The owner; nil while nobody has the purchase.
    package let owner: UserID?
    package let key: PurchaseKey
    /// The store's name of the product; of a chain, of its newest period, whatever was recorded last.
    package let product: ProductID
    package let recordedAt: Instant
    package let anomaly: Anomaly

    /// A page of anomalies, the last recorded first. The database gives candidates; a purchase that a user owns is
    /// listed only if the timeline of its owner confirms the anomaly. Throws when the database is away.
    package static func page(
        of reason: Anomaly?, before id: UInt64?, limit: Int, in store: Store, at now: Instant
    ) async throws(ServiceFailure) -> ListPage<ConfirmedAnomaly> {
        let context = store.foldContext
        let found = try await store.reports.anomalyCandidates(
            before: id, limit: limit, of: reason, given: context.catalogue)
        var (ledgers, timelines): ([UserID: UserLedger], [UserID: Timeline]) = ([:], [:])
        for owner in Set(found.rows.compactMap(\.owner)) {
            let ledger = try await store.reader.ledger(of: owner)
            ledgers[owner] = ledger
            timelines[owner] = Timeline(folding: ledger, given: context.catalogue, settings: context.settings)
        }
        let rows = found.rows.compactMap { candidate -> ConfirmedAnomaly? in
            guard let anomaly = anomaly(of: candidate, in: timelines, at: now),
                let last = candidate.last ?? candidate.owner.flatMap({ ledgers[$0]?.last(of: candidate.key) }),
                reason == nil || anomaly == reason
            else { return nil }
            let purchase = candidate.owner.flatMap { timelines[$0]?.purchases.first { $0.key == candidate.key } }
            return ConfirmedAnomaly(
                owner: candidate.owner, key: candidate.key, product: purchase?.storeProductID ?? last.state.productID,
                recordedAt: last.recordedAt, anomaly: anomaly)
        }
        return ListPage(rows: rows, next: found.next)
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

package import Entitlements
package import MariaDB

/// Rebuilds the table `subscriptions` from the ledgers: the same ledgers and catalogue give the same bytes.
package struct Projection: Sendable {
    /// How many people one transaction rebuilds.
    private static let chunk = 200

    private let pool: Pool
    private let settings: EntitlementSettings

    package init(pool: Pool, settings: EntitlementSettings) {
        self.pool = pool
        self.settings = settings
    }

    /// Rebuilds everybody's rows, some people at a time under their locks, while the server goes on.
    ///
    /// Repeat is safe because each chunk replaces its rows. Throws when the database is away; calling it again goes
    /// over everything anew.
    package func rebuild(given catalogue: CatalogueVersions) async throws(ServiceFailure) {
        var last: UInt64? = 0
        while let after = last {
            last = try await pool.commit { (session) throws(DatabaseError) in
                try rebuild(after: after, given: catalogue, in: session)
            }
        }
    }

    /// The last pseudonym of the chunk; nil when there was none left.
    private func rebuild(
        after pseudonym: UInt64, given catalogue: CatalogueVersions, in session: Session
    ) throws(DatabaseError) -> UInt64? {
        let people = try UserRow.lockNext(after: pseudonym, limit: Self.chunk, in: session)
        guard let last = people.last?.pseudonym else { return nil }
        try SubscriptionRow.removeAll(of: people.map(\.pseudonym), in: session)
        let ledgers = try LedgerEntryRow.load(
            from: people.map { .init(pseudonym: $0.pseudonym, after: 0) }, in: session)
        var rows: [SubscriptionRow] = []
        for (pseudonym, user) in people {
            guard let loaded = ledgers[pseudonym] else { continue }
            let ledger = UserLedger(user: user, entries: loaded.entries)
            let timeline = Timeline(folding: ledger, given: catalogue, settings: settings)
            for subscription in timeline.subscriptions {
                guard let purchase = loaded.purchases[subscription.key] else { continue }
                rows.append(SubscriptionRow(purchase: purchase, user: pseudonym, subscription: subscription))
            }
        }
        try SubscriptionRow.write(rows.sorted { ($0.purchase, $0.user) < ($1.purchase, $1.user) }, in: session)
        return last
    }
}

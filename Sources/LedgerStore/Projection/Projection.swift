package import Entitlements
package import MariaDB

/// Rebuilds the table `subscriptions` from the ledgers. The same ledgers and catalogue always give the same rows.
package struct Projection: Sendable {
    /// The number of people whose rows one transaction rebuilds.
    private static let chunk = 200

    private let pool: Pool
    private let settings: EntitlementSettings

    package init(pool: Pool, settings: EntitlementSettings) {
        self.pool = pool
        self.settings = settings
    }

    /// Rebuilds the rows of all people while servers go on working. Each transaction locks some of the people.
    ///
    /// Repeat is safe because each transaction replaces its rows. Throws when the database is away; another call begins
    /// again from the start.
    package func rebuild(given catalogue: CatalogueVersions) async throws(ServiceFailure) {
        var last: UInt64? = 0
        while let after = last {
            last = try await pool.commit { (session) throws(DatabaseError) in
                try rebuild(after: after, given: catalogue, in: session)
            }
        }
    }

    /// Rebuilds the rows of the next people, and returns the last pseudonym among them; nil if there were none.
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

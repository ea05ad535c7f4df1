package import Entitlements
package import MariaDB

/// Makes the tables `subscriptions`, `standings` and `standing_answers` from the ledgers. The same ledgers and
/// catalogue always give the same rows of `subscriptions`; the others also depend on the settings and on the instant.
package struct Projection: Sendable {
    /// The number of people whose rows one transaction rebuilds.
    static let chunk = 200

    let pool: Pool
    let settings: EntitlementSettings
    private let format: StandingFormat

    package init(pool: Pool, settings: EntitlementSettings, format: StandingFormat) {
        self.pool = pool
        self.settings = settings
        self.format = format
    }

    /// Rebuilds the rows of all people while servers go on working, and returns their number. Each transaction locks
    /// some of the people.
    ///
    /// Repeat is safe because each transaction replaces its rows. Throws when the database is away; another call begins
    /// again from the start.
    ///
    /// - Parameter onProgress: Called after each transaction with the number of people so far and their percentage.
    @discardableResult
    package func rebuild(
        given catalogue: CatalogueVersions, at now: Instant,
        onProgress: (_ people: Int, _ percent: Int) -> Void = { _, _ in }
    ) async throws(ServiceFailure) -> Int {
        let last = try await pool.ask { (session) throws(DatabaseError) in try UserRow.last(in: session) }
        var (done, place) = (0, UInt64(0))
        while true {
            let people = try await rebuild(next: Self.chunk, after: place, given: catalogue, at: now)
            guard let newest = people.last?.pseudonym else { return done }
            (done, place) = (done + people.count, newest)
            onProgress(done, Int(100 * min(newest, last) / max(last, 1)))
        }
    }

    /// Rebuilds the rows of `user`, and returns false for a user without a ledger. Throws when the database is away.
    package func rebuild(
        _ user: UserID, given catalogue: CatalogueVersions, at now: Instant
    ) async throws(ServiceFailure) -> Bool {
        let head = try await pool.ask { (session) throws(DatabaseError) in
            try UserRow.heads(of: [user], in: session).heads[user]
        }
        guard let head, head.length > 0 else { return false }
        return try await rebuild(next: 1, after: head.pseudonym - 1, given: catalogue, at: now).first?.user == user
    }

    private func rebuild(
        next count: Int, after pseudonym: UInt64, given catalogue: CatalogueVersions, at now: Instant
    ) async throws(ServiceFailure) -> [UserRow.Person] {
        try await pool.commit { (session) throws(DatabaseError) in
            let people = try UserRow.lockNext(after: pseudonym, limit: count, in: session)
            try make(people, listing: Set(people.map(\.pseudonym)), given: catalogue, at: now, in: session)
            return people
        }
    }

    func basis(given catalogue: CatalogueVersions) -> StandingBasis { StandingBasis(format, catalogue, settings) }

    /// The rows of `subscriptions` of a person. `row` gives the id of a purchase's row.
    func subscriptions(
        of timeline: Timeline, _ pseudonym: UInt64, row: (PurchaseKey) -> UInt64?
    ) -> [SubscriptionRow] {
        timeline.subscriptions.compactMap { subscription in
            row(subscription.key).map { SubscriptionRow(user: pseudonym, purchase: $0, subscription) }
        }
    }

    /// The rows of the chains of the App Store that a person has. `row` gives the id of a purchase's row.
    func chains(of timeline: Timeline, row: (PurchaseKey) -> UInt64?) -> [ChainRow] {
        timeline.purchases.compactMap { purchase in
            guard purchase.key.source == .appleIAP, let end = purchase.newestEnd,
                timeline.position(ofHeld: purchase.key) != nil, let id = row(purchase.key)
            else { return nil }
            return ChainRow(purchase: id, endsAt: end.at, isUntold: end.isUntold, isGraceUndated: end.isGraceUndated)
        }
    }

    /// The row of a person whose ledger has `length` entries; nil for an erased person, who has no standing.
    func standing(
        of ledger: UserLedger, in timeline: Timeline, _ pseudonym: UInt64, length: Int, at now: Instant
    ) -> StandingRow? {
        guard !ledger.user.isErased else { return nil }
        let standing = Standing(of: ledger, in: timeline, at: now)
        return StandingRow(
            pseudonym: pseudonym, length: length, basis: basis(given: timeline.catalogue), standing: standing,
            answer: format.write(standing.status))
    }

    /// Makes the standings of people whom the transaction has locked, and the rows of `subscriptions` of those in
    /// `listed`. A ledger that cannot be read, or is gone, loses its standing, so that it holds up nobody; the
    /// integrity check names it. Returns the pseudonyms of those who had a standing and lost it. Throws when the
    /// database refuses a statement or is away.
    @discardableResult
    func make(
        _ people: [UserRow.Person], listing listed: Set<UInt64>, given catalogue: CatalogueVersions, at now: Instant,
        in session: Session
    ) throws(DatabaseError) -> [UInt64] {
        guard !people.isEmpty else { return [] }
        try UserRow.touch(people.map(\.pseudonym).sorted(), in: session)
        let ledgers = try LedgerEntryRow.loadReadable(people.map(\.pseudonym), in: session)
        var rows: [SubscriptionRow] = []
        var chains: [ChainRow] = []
        var standings: [StandingRow] = []
        for person in people {
            guard let loaded = ledgers[person.pseudonym] else { continue }
            let ledger = UserLedger(user: person.user, entries: loaded.entries)
            let timeline = Timeline(folding: ledger, given: catalogue, settings: settings, testersAt: now)
            if let row = standing(
                of: ledger, in: timeline, person.pseudonym, length: loaded.length, at: now)
            {
                standings.append(row)
            }
            guard listed.contains(person.pseudonym) else { continue }
            rows += subscriptions(of: timeline, person.pseudonym) { loaded.purchases[$0] }
            if !person.user.isErased { chains += self.chains(of: timeline) { loaded.purchases[$0] } }
        }
        try SubscriptionRow.removeAll(of: listed.filter { ledgers[$0] != nil }.sorted(), in: session)
        try SubscriptionRow.write(rows, in: session)
        try ChainRow.write(chains, in: session)
        let unreadable = people.map(\.pseudonym).filter { ledgers[$0] == nil }
        let lost = unreadable.isEmpty ? [] : try StandingRow.stored(of: unreadable, in: session).keys.sorted()
        try StandingRow.remove(of: unreadable, in: session)
        try StandingRow.write(standings, in: session)
        return lost
    }
}

import Entitlements
import MariaDB

/// Some requests that share a transaction: which rows they lock, in which order, and what they write back.
struct Batch: Sendable {
    let requests: [Request]
    let settings: LedgerSettings
    let cache: LedgerCache

    /// What a batch came to.
    struct Outcome: Sendable {
        /// In the order of the requests.
        let answers: [any Sendable]
        /// The ledgers that grew, to be kept at hand once this is committed.
        let grown: [LedgerCache.Kept]
    }

    private var keys: [PurchaseKey] {
        Set(requests.flatMap { $0.evidence.map(\.purchase.key) }).sorted()
    }

    /// The tokens in the evidence and in what is known already: a text without one does not escape an earlier one's veto.
    private func tokens(with known: [PurchaseKey: Workspace.Holding]) -> Set<AccountToken> {
        Set(requests.flatMap { $0.evidence.compactMap(\.purchase.accountToken) })
            .union(known.values.flatMap { $0.states.compactMap(\.purchase.accountToken) })
    }

    /// What it came to; nil when the batch has to begin again, because a purchase changed hands
    /// before its owner was locked or a newer catalogue is in force.
    ///
    /// Locks people and then purchases, each in ascending order, so that two batches never wait for each other in a ring.
    func write(
        in session: Session, given catalogue: CatalogueShelf.Held, at now: Instant
    ) throws(DatabaseError) -> Outcome? {
        guard try CatalogueVersionRow.latest(in: session) == catalogue.newest else { return nil }
        let keys = keys
        let owners = try PurchaseRow.owners(of: keys, in: session)
        let users = Set(requests.flatMap(\.users)).union(owners.values)
        let heads = try UserRow.lock(users.sorted(), at: now, in: session)
        let locked = try PurchaseRow.lock(keys, in: session)
        let userOf = Dictionary(uniqueKeysWithValues: heads.map { ($0.value.pseudonym, $0.key) })
        guard locked.allSatisfy({ $0.owner == nil || userOf[$0.owner ?? 0] != nil }) else { return nil }

        let known = try load(locked, of: keys, userOf: userOf, in: session)
        var workspace = Workspace(
            now: now, people: try people(heads, in: session), holdings: known,
            tokenHolders: try AccountTokenRow.holders(
                of: tokens(with: known), decodingLegacy: settings.decodesLegacyTokens, in: session))
        let answers = requests.map { $0.decide(&workspace) }
        let grown = try WriteBack(settings: settings.entitlements, catalogue: catalogue.versions)
            .write(&workspace, in: session)
        return Outcome(answers: answers, grown: grown)
    }

    private func people(
        _ heads: [UserID: UserRow.Head], in session: Session
    ) throws(DatabaseError) -> [UserID: Workspace.Person] {
        let ledgers = try cache.ledgers(under: heads, in: session)
        var people: [UserID: Workspace.Person] = [:]
        for (user, head) in heads {
            let ledger = ledgers[user]?.ledger ?? UserLedger(user: user)
            people[user] = Workspace.Person(
                head: head, loaded: ledger, purchases: ledgers[user]?.purchases ?? [:], ledger: ledger)
        }
        return people
    }

    private func load(
        _ locked: [PurchaseRow.Locked], of keys: [PurchaseKey], userOf: [UInt64: UserID], in session: Session
    ) throws(DatabaseError) -> [PurchaseKey: Workspace.Holding] {
        let states = try PurchaseRow.states(of: locked, in: session)
        var holdings = Dictionary(uniqueKeysWithValues: keys.map { ($0, Workspace.Holding()) })
        for row in locked {
            let owner = row.owner.flatMap { userOf[$0] }
            holdings[row.key] = Workspace.Holding(
                id: row.id, owner: owner, wasOwned: owner != nil, states: states[row.id] ?? [])
        }
        return holdings
    }
}

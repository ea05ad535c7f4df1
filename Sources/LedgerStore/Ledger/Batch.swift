import Entitlements
import MariaDB

/// Some requests that share a transaction: which rows they lock, in which order, and what they write back.
struct Batch: Sendable {
    let requests: [Request]
    let settings: LedgerSettings
    let cache: LedgerCache
    let salt: @Sendable () -> [UInt8]
    /// The rows of the headers of the evidence's texts.
    let headers: [SignedText.Header: UInt64]
    /// Whether it works on heavy ledgers.
    let takesHeavy: Bool

    /// What became of a batch.
    enum Verdict: Sendable {
        case written(Outcome)
        /// It has to begin again: a purchase changed hands or a person was erased before they were locked, or a newer catalogue
        /// is in force.
        case outdated
        /// Nothing was written, because of these.
        case tooHeavy(Heavy)
    }

    /// What keeps a batch from the usual lane: people whose ledgers are heavy, and purchases that such people have or had.
    struct Heavy: Sendable {
        var users: Set<UserID> = []
        var keys: Set<PurchaseKey> = []

        func concerns(_ request: Request) -> Bool {
            !request.users.isDisjoint(with: users) || !request.keys.isDisjoint(with: keys)
        }
    }

    /// What a batch came to.
    struct Outcome: Sendable {
        /// In the order of the requests.
        let answers: [any Sendable]
        let written: WriteBack.Written
    }

    private var keys: Set<PurchaseKey> { Set(requests.flatMap(\.keys)) }

    /// The tokens in the evidence and in what is known already: a text without one does not escape an earlier one's veto. And
    /// those of whoever gives all that they have.
    private func tokens(
        with known: [PurchaseKey: Workspace.Holding], of heads: [UserID: UserRow.Head], in session: Session
    ) throws(DatabaseError) -> Set<AccountToken> {
        var tokens = Set(requests.flatMap { $0.evidence.compactMap(\.purchase.accountToken) })
        tokens.formUnion(known.values.flatMap { $0.states.compactMap(\.purchase.accountToken) })
        for giver in Set(requests.compactMap(\.giver)) {
            guard let head = heads[giver] else { continue }
            tokens.formUnion(try AccountTokenRow.tokens(of: head.pseudonym, in: session))
        }
        return tokens
    }

    /// Locks people and then purchases, each in ascending order, and the audit trail last, so that two batches never wait for
    /// each other in a ring.
    func write(
        in session: Session, given catalogue: CatalogueShelf.Held, at now: Instant
    ) throws(DatabaseError) -> Verdict {
        let known = try PurchaseRow.known(Array(keys), in: session)
        guard known.catalogueVersion == catalogue.newest else { return .outdated }
        // Before any lock: whoever waits for a heavy ledger's would hold up the rest of the batch.
        guard takesHeavy || known.heavy.isEmpty else { return .tooHeavy(Heavy(keys: known.heavy)) }
        var workspace: Workspace
        switch try load(known, in: session, at: now) {
        case .loaded(let loaded): workspace = loaded
        case .outdated: return .outdated
        case .tooHeavy(let users): return .tooHeavy(Heavy(users: users))
        }
        let decided = requests.map { $0.decide(&workspace, catalogue.versions) }
        guard !workspace.isMisused else { throw DatabaseError(.misuse, statement: "record") }
        let written = try WriteBack(
            settings: settings, catalogue: catalogue.versions, headers: headers, salt: salt
        ).write(&workspace, in: session)
        try UserRow.remove(strangers(in: workspace, after: decided), madeAt: now, in: session)
        try audit(decided, on: workspace, in: session)
        return .written(Outcome(answers: decided.map(\.answer), written: written))
    }

    /// People of whom nothing was recorded before and nothing is now: of requests that were refused, or changed nothing.
    private func strangers(in workspace: Workspace, after decided: [Request.Decided]) -> [UInt64] {
        let concerned = Set(zip(requests, decided).filter(\.1.hasChanged).flatMap(\.0.users))
        return workspace.people.values.filter { person in
            let user = person.ledger.user
            return person.head.length == 0 && person.appended.isEmpty && !user.isErased && !concerned.contains(user)
        }.map(\.head.pseudonym).sorted()
    }

    /// The last lock of the transaction; other audited acts wait from here to its end.
    private func audit(
        _ decided: [Request.Decided], on workspace: Workspace, in session: Session
    ) throws(DatabaseError) {
        let trail = AuditTrail(salt: salt)
        for (request, decided) in zip(requests, decided) where decided.hasChanged {
            guard let act = request.audit else { continue }
            try trail.append(try act.record(on: workspace), in: session)
        }
    }

    /// What became of the rows that the decisions may know.
    private enum Load {
        case loaded(Workspace)
        /// Somebody who has or had one of the purchases was not locked with the rest.
        case outdated
        case tooHeavy(Set<UserID>)
    }

    /// Locks and loads everything that the decisions may know. A purchase that another instance makes meanwhile is noticed
    /// when its row is to be inserted.
    ///
    /// An erasure that buries one of the purchases erases somebody who has or had it: it commits before that person is locked
    /// here, and then they are no longer who they were, or it waits for this transaction. One that nobody had when it was
    /// looked for, and that was bound and buried since, is found where its row would be made (`WriteBack`).
    private func load(
        _ found: PurchaseRow.Known, in session: Session, at now: Instant
    ) throws(DatabaseError) -> Load {
        let named = keys
        let (known, tombstones) = try withBuried(found, of: named, in: session)
        guard
            let heads = try UserRow.lock(
                Set(requests.flatMap(\.users)), holding: known.holders, at: now, in: session)
        else { return .outdated }
        let heavy = heads.filter(\.value.isHeavy).keys
        guard takesHeavy || heavy.isEmpty else {
            try removeUnseen(heads, madeAt: now, in: session)
            return .tooHeavy(Set(heavy))
        }
        let userOf = Dictionary(uniqueKeysWithValues: heads.map { ($0.value.pseudonym, $0.key) })
        let givers = heads.filter { user, _ in user.isErased || requests.contains { $0.giver == user } }
        let theirs = try PurchaseRow.keys(of: givers.map(\.value.pseudonym).sorted(), in: session)
        let recognition = Recognition(
            tombstones, in: found.isAnybodyErased ? requests.flatMap { $0.evidence.map(\.purchase) } : [],
            under: settings.tombstoneKey)
        let locked = try PurchaseRow.lock(known.keys.union(theirs).sorted(), in: session)
            .map { $0.recognized(by: recognition) }
        let former = try PurchaseRow.formerHolders(of: locked.map(\.id), in: session)
        let isComplete = locked.lazy.filter { named.contains($0.key) }.allSatisfy { row in
            ((row.owner.map { [$0] } ?? []) + (former[row.id] ?? [])).allSatisfy { userOf[$0] != nil }
        }
        guard isComplete else {
            try removeUnseen(heads, madeAt: now, in: session)
            return .outdated
        }
        let holdings = try holdings(locked, of: named, former: former, userOf: userOf, in: session)
        var workspace = Workspace(
            now: now, people: try people(heads, in: session), holdings: holdings,
            tokenHolders: try AccountTokenRow.holders(
                of: tokens(with: holdings, of: heads, in: session), under: settings, in: session),
            tombstoneKey: settings.tombstoneKey)
        workspace.recognize(recognition)
        return .loaded(workspace)
    }

    /// Leaves nobody behind whom only locking has made.
    private func removeUnseen(
        _ heads: [UserID: UserRow.Head], madeAt now: Instant, in session: Session
    ) throws(DatabaseError) {
        let unseen = heads.filter { user, head in head.length == 0 && !user.isErased }
        try UserRow.remove(unseen.map(\.value.pseudonym).sorted(), madeAt: now, in: session)
    }

    /// The same with those that are buried, and with the erased people of the evidence's Apple accounts, whose debts follow
    /// them; and the purchases by their tombstones where one of those might stand for one.
    private func withBuried(
        _ known: PurchaseRow.Known, of named: Set<PurchaseKey>, in session: Session
    ) throws(DatabaseError) -> (known: PurchaseRow.Known, tombstones: [PurchaseKey: PurchaseKey]) {
        guard known.isAnybodyErased else { return (known, [:]) }
        let plain = named.filter { !$0.isTombstone }
        let tombstones = Dictionary(
            plain.map { ($0.buried(under: settings.tombstoneKey), $0) }, uniquingKeysWith: { first, _ in first })
        var found = known.merging(try PurchaseRow.known(Array(tombstones.keys), in: session))
        let accounts = Set(requests.flatMap { $0.evidence.compactMap(\.purchase.appTransactionID) })
        let erased = try UserRow.erased(
            of: accounts.flatMap { [$0, settings.tombstoneKey.tombstone(of: $0)] }, in: session)
        found.holders.merge(erased.map { (.erased(pseudonym: $0), $0) }) { first, _ in first }
        return (found, tombstones)
    }

    private func people(
        _ heads: [UserID: UserRow.Head], in session: Session
    ) throws(DatabaseError) -> [UserID: Workspace.Person] {
        let ledgers = try cache.ledgers(under: heads, in: session)
        var people: [UserID: Workspace.Person] = [:]
        for (user, head) in heads {
            let ledger = ledgers[user]?.ledger ?? UserLedger(user: user)
            people[user] = Workspace.Person(
                head: head, loaded: ledger, purchases: ledgers[user]?.purchases ?? [:],
                tombstones: ledgers[user]?.tombstones ?? [:], ledger: ledger)
        }
        return people
    }

    private func holdings(
        _ locked: [PurchaseRow.Locked], of keys: Set<PurchaseKey>, former: [UInt64: [UInt64]],
        userOf: [UInt64: UserID], in session: Session
    ) throws(DatabaseError) -> [PurchaseKey: Workspace.Holding] {
        let states = try PurchaseRow.states(of: locked, in: session)
        var holdings = Dictionary(uniqueKeysWithValues: keys.map { ($0, Workspace.Holding()) })
        for row in locked {
            let owner = row.owner.flatMap { userOf[$0] }
            let former = Set((former[row.id] ?? []).compactMap { userOf[$0] })
            holdings[row.key] = Workspace.Holding(
                id: row.id, tombstone: row.tombstone, isNamed: row.isNamed, owner: owner, formerHolders: former,
                states: states[row.id] ?? [], loadedOwner: owner, loadedHolders: former)
        }
        return holdings
    }
}

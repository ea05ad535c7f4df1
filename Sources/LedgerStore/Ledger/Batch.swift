import Entitlements
import MariaDB

/// Requests that share one transaction. The batch locks and loads their rows, lets each request decide, and writes the
/// results.
struct Batch: Sendable {
    let requests: [Request]
    let settings: LedgerSettings
    let projection: Projection
    let cache: LedgerCache
    let salt: @Sendable () -> [UInt8]
    /// The ids of the rows of `signed_headers`, for the texts in the evidence.
    let headers: [SignedText.Header: UInt64]
    /// True if the batch works on heavy ledgers.
    let takesHeavy: Bool
    /// True if rows are locked until the transaction ends. A preview locks none, and makes none.
    var isLocking = true

    /// The verdict on a batch.
    enum Verdict: Sendable {
        case written(Outcome)
        /// The batch has to begin again. A purchase changed hands or a person was erased before their rows were locked,
        /// or a newer catalogue is in force.
        case outdated
        /// Nothing was written, because the batch needs these heavy ledgers.
        case tooHeavy(Heavy)
    }

    /// The rows that the decisions may read, or the reason why the batch cannot go on.
    enum Load: Sendable {
        case loaded(Workspace)
        case outdated
        case tooHeavy(Heavy)
    }

    /// The people with heavy ledgers, and the purchases of these people. Requests about them are left to the queue of
    /// heavy ledgers.
    struct Heavy: Sendable {
        var users: Set<UserID> = []
        var keys: Set<PurchaseKey> = []

        func concerns(_ request: Request) -> Bool {
            !request.users.isDisjoint(with: users) || !request.keys.isDisjoint(with: keys)
        }
    }

    /// The result of a batch that was written.
    struct Outcome: Sendable {
        /// The results of the decisions, in the order of the requests.
        let decided: [Request.Decided]
        let written: WriteBack.Written
    }

    private var statements: [Statement] { requests.flatMap { $0.evidence.map(\.statement) } }

    /// The account tokens whose holders the decisions have to know: tokens in the evidence, in recorded states of the
    /// purchases, and of users who give away all purchases, with the mentions of these users. The recorded states are
    /// included so that a new text without a token cannot evade the token of an earlier text.
    private func tokens(
        with known: [PurchaseKey: Workspace.Holding], of heads: [UserID: UserRow.Head], in session: Session
    ) throws(DatabaseError) -> Set<Label> {
        var tokens = Set(statements.compactMap { $0.state?.accountToken })
        tokens.formUnion(known.values.flatMap { $0.states.compactMap(\.purchase.accountToken) })
        for giver in Set(requests.compactMap(\.giver)) {
            guard let head = heads[giver] else { continue }
            tokens.insert(settings.labels.mention(of: giver))
            tokens.formUnion(try AccountTokenRow.labels(of: head.pseudonym, in: session))
        }
        return tokens
    }

    /// Locks rows, lets each request decide, and writes the results. Throws when the database refuses a statement or is
    /// away, and `.misuse` when a decision concerned rows that its request had not named.
    func write(
        in session: Session, given catalogue: CatalogueVersionCache.Held, at now: Instant
    ) throws(DatabaseError) -> Verdict {
        var workspace: Workspace
        switch try load(in: session, given: catalogue, at: now) {
        case .loaded(let loaded): workspace = loaded
        case .outdated: return .outdated
        case .tooHeavy(let heavy): return .tooHeavy(heavy)
        }
        let decided = requests.map { $0.decide(&workspace, catalogue.versions) }
        guard !workspace.isMisused else { throw DatabaseError(.misuse, statement: "record") }
        let written = try WriteBack(
            catalogue: catalogue.versions, projection: projection, headers: headers, labels: settings.labels
        ).write(&workspace, in: session)
        try UserRow.remove(strangers(in: workspace, after: decided), madeAt: now, in: session)
        try audit(decided, on: workspace, in: session)
        return .written(Outcome(decided: decided, written: written))
    }

    /// Loads everything that the decisions may read.
    ///
    /// The locks are taken in this order: names in deliveries, known people, other people, purchases; a write locks the
    /// audit trail last. Within each kind the order is ascending, so that two batches hardly ever deadlock. Throws when
    /// the database refuses a statement or is away.
    func load(
        in session: Session, given catalogue: CatalogueVersionCache.Held, at now: Instant
    ) throws(DatabaseError) -> Load {
        let names = try KnownNames.lock(requests.compactMap(\.news), under: settings.labels, in: session)
        let keys = Set(requests.flatMap(\.keys))
        let numbered = requests.reduce(into: Set<PurchaseKey>()) { $0.formUnion(names.keys(of: $1.news)) }
        let known = try KnownPurchases.load(Array(keys.union(numbered)), in: session)
        guard known.catalogueVersion == catalogue.newest else { return .outdated }
        // Checked before people are locked: waiting for the lock of a heavy ledger would hold up the rest of the batch.
        guard takesHeavy || known.heavy.isEmpty else { return .tooHeavy(Heavy(keys: known.heavy)) }
        let load = try load(keys, known, names, in: session, at: now)
        guard case .loaded(var workspace) = load else { return load }
        workspace.keepFolds(given: catalogue.versions, settings: settings.entitlements)
        return .loaded(workspace)
    }

    /// The pseudonyms of people whose rows were made for requests that were refused or changed nothing. Such a person
    /// has no ledger entry, and no claim on the list of conflicts.
    private func strangers(in workspace: Workspace, after decided: [Request.Decided]) -> [UInt64] {
        let concerned = Set(zip(requests, decided).filter(\.1.hasChanged).flatMap(\.0.users))
            .union(workspace.refusedClaims.map(\.user))
        return workspace.people.values.filter { person in
            person.head.length == 0 && person.appended.isEmpty && !concerned.contains(person.ledger.user)
        }.map(\.head.pseudonym).sorted()
    }

    /// Appends entries to the audit trail. This takes the last lock of the transaction; other audited acts wait for its
    /// end.
    private func audit(
        _ decided: [Request.Decided], on workspace: Workspace, in session: Session
    ) throws(DatabaseError) {
        let trail = AuditTrail(salt: salt)
        for (request, decided) in zip(requests, decided) where decided.hasChanged {
            guard let act = request.audit else { continue }
            try trail.append(try act.record(on: workspace), in: session)
        }
    }

    /// Loads the people, and the purchases by which they are known.
    ///
    /// A purchase without a row cannot be locked. If another instance inserts it meanwhile, the insert of this batch
    /// fails with a duplicate key, and `Ledger` runs the batch again with the row of the other instance.
    private func load(
        _ keys: Set<PurchaseKey>, _ known: KnownPurchases, _ names: KnownNames, in session: Session, at now: Instant
    ) throws(DatabaseError) -> Load {
        let users = names.users.union(requests.flatMap(\.users))
        let read =
            isLocking
            ? try UserRow.lock(users, holding: known.holders, under: settings.labels, at: now, in: session)
            : try UserRow.unlocked(users, holding: known.holders, in: session)
        guard let heads = read else { return .outdated }
        let heavy = heads.filter(\.value.isHeavy).keys
        guard takesHeavy || heavy.isEmpty else {
            try removeUnseen(heads, madeAt: now, in: session)
            return .tooHeavy(Heavy(users: Set(heavy)))
        }
        let userOf = Dictionary(uniqueKeysWithValues: heads.map { ($0.value.pseudonym, $0.key) })
        let givers = heads.filter { user, _ in user.isErased || requests.contains { $0.giver == user } }
        let theirs = try PurchaseRow.keys(of: givers.map(\.value.pseudonym).sorted(), in: session)
        let held = try PurchaseRow.load(known.keys.union(theirs).sorted(), locking: isLocking, in: session)
        let former = try HolderRow.former(of: held.map(\.id), in: session)
        let isComplete = held.lazy.filter { keys.contains($0.key) || known.keys.contains($0.key) }.allSatisfy { row in
            ((row.owner.map { [$0] } ?? []) + (former[row.id] ?? [])).allSatisfy { userOf[$0] != nil }
        }
        guard isComplete else {
            try removeUnseen(heads, madeAt: now, in: session)
            return .outdated
        }
        let holdings = try holdings(held, of: keys, former: former, userOf: userOf, in: session)
        let tokens = try tokens(with: holdings, of: heads, in: session)
        let holders = try AccountTokenRow.holders(of: tokens.union(names.labels), in: session)
        // A label may have been given to another user before its holder was locked.
        guard names.labels.allSatisfy({ holders[$0].map { $0.isErased || heads[$0] != nil } ?? true }) else {
            try removeUnseen(heads, madeAt: now, in: session)
            return .outdated
        }
        return .loaded(
            Workspace(
                now: now, people: try people(heads, in: session), holdings: holdings, tokenHolders: holders,
                names: names, salt: salt))
    }

    /// Removes the rows of people that this batch inserted only to lock them.
    private func removeUnseen(
        _ heads: [UserID: UserRow.Head], madeAt now: Instant, in session: Session
    ) throws(DatabaseError) {
        guard isLocking else { return }
        let unseen = heads.filter { $0.value.length == 0 }
        try UserRow.remove(unseen.map(\.value.pseudonym).sorted(), madeAt: now, in: session)
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

    private func holdings(
        _ held: [PurchaseRow.Held], of keys: Set<PurchaseKey>, former: [UInt64: [UInt64]],
        userOf: [UInt64: UserID], in session: Session
    ) throws(DatabaseError) -> [PurchaseKey: Workspace.Holding] {
        let states = try StateRow.states(of: held, in: session)
        let waiting = try WaitingStatementRow.load(of: held.filter { $0.owner == nil }.map(\.id), in: session)
        var holdings = Dictionary(uniqueKeysWithValues: keys.map { ($0, Workspace.Holding()) })
        for row in held {
            let owner = row.owner.flatMap { userOf[$0] }
            let former = Set((former[row.id] ?? []).compactMap { userOf[$0] })
            holdings[row.key] = Workspace.Holding(
                id: row.id, owner: owner, formerHolders: former, states: states[row.id] ?? [],
                brought: waiting[row.id] ?? [], waiting: waiting[row.id]?.count ?? 0, loadedOwner: owner,
                loadedHolders: former)
        }
        return holdings
    }
}

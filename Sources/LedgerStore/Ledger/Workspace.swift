import Entitlements

/// A batch's copy of the rows that it has locked: decisions read it and change it, and it is written back at the end.
struct Workspace {
    /// A person's ledger, and where it stood when it was loaded.
    struct Person {
        let head: UserRow.Head
        let loaded: UserLedger
        /// The rows of the purchases in the ledger as loaded.
        let purchases: [PurchaseKey: UInt64]
        var ledger: UserLedger

        /// The entries that this batch appended.
        var appended: Slice<ChunkedList<LedgerEntry>> { ledger.entries[loaded.entries.count...] }
    }

    /// A purchase and all that was stated of it.
    struct Holding {
        /// Nil until it is written.
        var id: UInt64?
        var owner: UserID?
        /// When the owner got it, if this batch made them its owner.
        var ownedSince: Instant?
        /// Users who had it before. Statements about it that come later enter their ledgers too.
        var formerHolders: Set<UserID> = []
        /// The signed states that have rows of their own.
        var states: [State] = []
        /// Statements that only ledgers keep once the purchase has an owner: those that wait, then those that this
        /// batch was shown.
        var brought: [Statement] = []
        /// How many of them wait in rows.
        var waiting = 0
        /// The owner and the former holders that the rows name.
        var loadedOwner: UserID?
        var loadedHolders: Set<UserID> = []

        /// True if anything is known of it.
        var isKnown: Bool { id != nil || owner != nil || !states.isEmpty || !brought.isEmpty }

        /// The owner and the former holders, ascending.
        var holders: [UserID] { (owner.map { formerHolders.union([$0]) } ?? formerHolders).sorted() }
    }

    /// A state, and the row it has or will have.
    struct State {
        let purchase: VerifiedPurchase
        /// The statement as its row and the ledgers store it.
        let statement: String
        let contentHash: [UInt8]
        /// Nil until it is written.
        var id: UInt64?
        /// The row that keeps the text: nil for this row itself.
        var textOf: UInt64?
        /// For a new state whose text is stored with another new state: the index of that state.
        let repeats: Int?
        /// The proof to write, for a new state.
        let new: (proof: Evidence.Proof, recordedAt: Instant)?
    }

    let now: Instant
    var people: [UserID: Person]
    /// The keys of the holdings, in the order in which purchases are locked.
    let keys: [PurchaseKey]
    var holdings: [PurchaseKey: Holding]
    private(set) var tokenHolders: [Label: UserID]
    /// The account tokens that this batch moved to another user.
    private(set) var movedTokens: Set<Label> = []
    /// The notes of the entries that this batch appended.
    private(set) var notes: [NoteRow] = []
    /// The names in its deliveries, under locks.
    private let names: KnownNames
    /// The deliveries that were placed.
    private(set) var placements: [Placement] = []
    /// True if a decision concerned people or purchases that its request had not named. If so, nothing of the batch is
    /// written.
    private(set) var isMisused = false
    private let salt: @Sendable () -> [UInt8]

    init(
        now: Instant, people: [UserID: Person], holdings: [PurchaseKey: Holding], tokenHolders: [Label: UserID],
        names: KnownNames, salt: @escaping @Sendable () -> [UInt8]
    ) {
        self.now = now
        self.people = people
        keys = holdings.keys.sorted()
        self.holdings = holdings
        self.tokenHolders = tokenHolders
        self.names = names
        self.salt = salt
    }

    /// The knowledge of a decision about `users`, the purchases of `keys` and the names in `news`.
    func history(
        for users: Set<UserID>, _ keys: Set<PurchaseKey>, _ news: DeliveryNews?, isEvidenceNew: Bool
    ) -> PurchaseHistory {
        let keys = keys.union(names.keys(of: news).filter { holdings[$0]?.isKnown ?? false })
        let users = users.union(keys.compactMap { holdings[$0]?.owner })
        return PurchaseHistory(
            now: now,
            ledgers: Dictionary(
                uniqueKeysWithValues: users.compactMap { user in people[user].map { (user, $0.ledger) } }),
            purchases: keys.reduce(into: [:]) { known, key in
                known[key] = holdings[key].map {
                    .init(owner: $0.owner, states: $0.states.map(\.purchase) + $0.brought.compactMap(\.state))
                }
            }, tokenHolders: tokenHolders, isEvidenceNew: isEvidenceNew,
            numbers: news.flatMap { names.numbers[$0.space] } ?? [:], erased: names.erased)
    }

    /// Keeps a statement, unless it is known; repeats and other spellings of a signature change nothing. Returns
    /// whether it was kept.
    ///
    /// A kept statement enters the ledgers of all who have or had the purchase, with the repeats that it ends. A
    /// statement with a row enters none where the one signed before it says the same (`semantics.md` §1).
    mutating func record(_ evidence: Evidence) -> Bool {
        let statement = evidence.statement
        guard let holding = holdings[statement.key] else {
            misuse()
            return false
        }
        var noLongerRepeats: [Statement] = []
        if case .purchase(let state) = statement, let proof = evidence.proof {
            let known = holding.states.map { Statement.purchase($0.purchase) }
            guard keep(state, provedBy: proof) else { return false }
            guard !statement.isRepeat(among: known) else { return true }
            noLongerRepeats = statement.endingRepeats(among: known)
        } else {
            guard !isStated(statement, in: holding) else { return false }
            holdings[statement.key]?.brought.append(statement)
        }
        for holder in holding.holders where holder == holding.owner || concerns(holder, statement) {
            enter([statement] + noLongerRepeats, into: holder)
        }
        return true
    }

    /// Adds a state to those that have rows, unless it has a row.
    private mutating func keep(_ state: VerifiedPurchase, provedBy proof: Evidence.Proof) -> Bool {
        let (statement, contentHash) = StatementContent.row(of: state)
        let states = holdings[state.key]?.states ?? []
        let alike = states.indices.filter {
            states[$0].contentHash == contentHash && states[$0].purchase.transactionID == state.transactionID
        }
        guard !alike.contains(where: { states[$0].purchase.signedAt == state.signedAt }) else { return false }
        let first = alike.first.map { states[$0] }
        holdings[state.key]?.states.append(
            State(
                purchase: state, statement: statement, contentHash: contentHash, id: nil,
                textOf: first.flatMap { $0.textOf ?? $0.id },
                repeats: first?.id == nil ? alike.first : nil, new: (proof, now)))
        return true
    }

    /// True if a statement without a row of its own is known already.
    private func isStated(_ statement: Statement, in holding: Holding) -> Bool {
        holding.brought.contains(statement)
            || holding.holders.contains {
                people[$0]?.ledger.entries.contains { $0.fact.statement == statement } ?? false
            }
    }

    /// Enters statements into the ledgers. Only the first is known to be missing there.
    private mutating func enter(_ statements: [Statement], into user: UserID) {
        let lacking = statements.dropFirst().filter { statement in
            !(people[user]?.ledger.entries.contains { $0.fact.statement == statement } ?? false)
        }
        append((statements.prefix(1) + lacking).map { .init(.stated($0), at: $0.signedAt) }, to: user)
    }

    /// True if a former holder may know of a statement. Renewals for the present owner are not theirs to see.
    private func concerns(_ formerHolder: UserID, _ statement: Statement) -> Bool {
        guard case .purchase(let state) = statement else { return false }
        guard state.type == .plan else { return true }
        return people[formerHolder]?.ledger.entries.contains { entry in
            entry.fact.state.map { $0.key == state.key && $0.transactionID == state.transactionID } ?? false
        } ?? false
    }

    /// Applies a decision: what a delivery states, then bindings, then moves, then the other facts, then tokens.
    mutating func apply<Reply, Refusal>(_ decision: Decision<Reply, Refusal>) {
        if let placement = decision.placement { apply(placement) }
        for (key, user) in decision.bindings.sorted(by: { $0.key < $1.key }) {
            bind(key, to: user, note: decision.bindingNote)
        }
        for (key, move) in decision.moves.sorted(by: { $0.key < $1.key }) { carryOut(move, of: key) }
        for (user, drafts) in decision.drafts.sorted(by: { $0.key < $1.key }) {
            append(drafts, to: user)
            for draft in drafts {
                switch draft.fact {
                case .granted(let grant): give(grant.key, to: user)
                case .withdrawn(let key):
                    tellOthers(than: user, LedgerEntry.Draft(draft.fact, at: draft.effectiveAt), of: key)
                case .stated, .bound, .gaveAway, .received, .credit, .device,
                    .sandboxTester, .consumptionConsent:
                    break
                }
            }
        }
        for (token, user) in decision.tokens { give(token, to: user) }
    }

    private mutating func apply(_ placement: Placement) {
        for statement in placement.statements { _ = record(Evidence(statement)) }
        if let customer = placement.customer {
            guard people[customer.user] != nil else { return misuse() }
            tokenHolders[customer.label] = customer.user
        }
        placements.append(placement)
    }

    private mutating func give(_ token: Label, to user: UserID) {
        guard people[user] != nil else { return misuse() }
        tokenHolders[token] = user
        movedTokens.insert(token)
    }

    /// A fact about the purchase itself concerns its owner and all former holders.
    private mutating func tellOthers(than user: UserID, _ draft: LedgerEntry.Draft, of key: PurchaseKey) {
        for holder in holdings[key]?.holders ?? [] where holder != user { append([draft], to: holder) }
    }

    /// Makes a user the owner of a purchase. Everything that is known of it enters the user's ledger.
    private mutating func bind(_ key: PurchaseKey, to user: UserID, note: Note?) {
        guard let holding = holdings[key], holding.owner == nil else { return misuse() }
        let signed = holding.states.map { Statement.purchase($0.purchase) }
        let statements = (signed.filter { !$0.isRepeat(among: signed) } + holding.brought)
            .map { LedgerEntry.Draft(.stated($0), at: $0.signedAt) }
        append(statements + [.init(.bound(key), at: now, note: note)], to: user)
        setOwner(of: key, user)
    }

    /// Makes a user the owner of the purchase that a grant is. The decision has drafted its facts.
    private mutating func give(_ key: PurchaseKey, to user: UserID) {
        guard let holding = holdings[key], holding.owner == nil else { return misuse() }
        setOwner(of: key, user)
    }

    /// Makes another user the owner of a purchase. The giver's entries about it enter the receiver's ledger, and both
    /// ledgers refer to the same note.
    private mutating func carryOut(_ move: Move, of key: PurchaseKey) {
        guard let holding = holdings[key], let giver = holding.owner, let given = people[giver],
            let receiver = people[move.receiver]
        else { return misuse() }
        let note = move.note.map { keep($0, about: given.head.pseudonym, and: receiver.head.pseudonym) }
        append([.init(.gaveAway(key, move.handover), at: move.effectiveAt, kept: note)], to: giver)
        append(
            receiver.ledger.lacking(of: key, in: given.ledger)
                + [.init(.received(key, move.handover), at: move.effectiveAt, kept: note)], to: move.receiver)
        holdings[key]?.formerHolders.insert(giver)
        setOwner(of: key, move.receiver)
    }

    /// The last fact in the user's ledger is the one that made it theirs.
    private mutating func setOwner(of key: PurchaseKey, _ user: UserID) {
        holdings[key]?.owner = user
        holdings[key]?.ownedSince = people[user]?.ledger.entries.last?.recordedAt
    }

    /// Appends in the order of `recorded_at`, also after entries that this program cannot read.
    private mutating func append(_ drafts: [LedgerEntry.Draft], to user: UserID) {
        guard let head = people[user]?.head else { return misuse() }
        let digests = drafts.map { draft in draft.note.map { keep($0, about: head.pseudonym) } ?? draft.kept }
        var next = digests.makeIterator()
        people[user]?.ledger.append(drafts, at: max(now, head.lastRecordedAt + 1)) { _ in next.next() ?? nil }
    }

    /// Takes a note, to be written with its entry.
    private mutating func keep(_ note: Note, about subject: UInt64, and other: UInt64? = nil) -> NoteDigest {
        let row = NoteRow(note, about: subject, and: other, salt: salt())
        notes.append(row)
        return row.digest
    }

    private mutating func misuse() { isMisused = true }
}

extension Workspace {
    /// From this length on a ledger is folded on from where it was folded before.
    private static let keptFoldLength = 256

    /// Has what long ledgers give go along with them, so that an act with credits or a device folds nothing anew.
    mutating func keepFolds(given catalogue: CatalogueVersions, settings: EntitlementSettings) {
        for (user, person) in people where person.loaded.entries.count >= Self.keptFoldLength {
            guard !person.loaded.hasFold(given: catalogue, settings: settings) else { continue }
            var ledger = person.loaded
            ledger.keepFold(given: catalogue, settings: settings)
            people[user] = Person(head: person.head, loaded: ledger, purchases: person.purchases, ledger: ledger)
        }
    }
}

extension UserLedger {
    /// The facts about the purchase of `key` in the ledger of `giver` that go to the receiver and are not there yet.
    fileprivate func lacking(of key: PurchaseKey, in giver: UserLedger) -> [LedgerEntry.Draft] {
        let known = Set(entries.lazy.map(\.fact).filter { $0.purchase == key })
        return giver.entries.lazy.filter { entry in
            entry.fact.purchase == key && entry.fact.goesWithPurchase && !known.contains(entry.fact)
        }.map { LedgerEntry.Draft($0.fact, at: $0.effectiveAt, kept: $0.note) }
    }
}

import Entitlements

/// One batch's copy of the rows it has locked: decisions read it and change it, and it is written back at the end.
struct Workspace {
    /// A person's ledger, and where it stood when it was loaded.
    struct Person {
        let head: UserRow.Head
        let loaded: UserLedger
        /// The rows of the purchases in the ledger as loaded.
        let purchases: [PurchaseKey: UInt64]
        var ledger: UserLedger

        /// The entries that this batch appended.
        var appended: ArraySlice<LedgerEntry> { ledger.entries[loaded.entries.count...] }
    }

    /// A purchase and all that was stated of it.
    struct Holding {
        /// Nil until it is written.
        var id: UInt64?
        var owner: UserID?
        /// Since when, if this batch made it theirs.
        var ownedSince: Instant?
        /// Who had it before; what is learned of it enters their ledgers too.
        var formerHolders: Set<UserID> = []
        /// The signed states that have rows of their own.
        var states: [State] = []
        /// What this batch was shown that ledgers alone keep.
        var brought: [Statement] = []
        /// The owner and the former holders that the rows name.
        var loadedOwner: UserID?
        var loadedHolders: Set<UserID> = []

        /// Everybody who has or had it, ascending.
        var holders: [UserID] { (owner.map { formerHolders.union([$0]) } ?? formerHolders).sorted() }
    }

    /// A state, and the row it has or will have.
    struct State {
        let purchase: VerifiedPurchase
        /// The same as its row and ledgers hold it.
        let statement: String
        let contentHash: [UInt8]
        /// Nil until it is written.
        var id: UInt64?
        /// The row that keeps the text: nil for this row itself.
        var textOf: UInt64?
        /// For a new one whose text stands in another new one: where among the purchase's states.
        let repeats: Int?
        /// What to write, for a new one.
        let new: (proof: Evidence.Proof, recordedAt: Instant)?
    }

    let now: Instant
    var people: [UserID: Person]
    /// The keys of the holdings, in the order in which purchases are locked.
    let keys: [PurchaseKey]
    var holdings: [PurchaseKey: Holding]
    private(set) var tokenHolders: [Label: UserID]
    /// The account tokens that name somebody else since this batch.
    private(set) var movedTokens: Set<Label> = []
    /// The words of what this batch appended.
    private(set) var notes: [NoteRow] = []
    /// What is to be written beside the ledgers.
    private(set) var sideRows: [any StoredSideRow] = []
    /// Whether a decision concerned people or purchases that its request had not named: nothing of the batch is kept.
    private(set) var isMisused = false
    private let salt: @Sendable () -> [UInt8]

    init(
        now: Instant, people: [UserID: Person], holdings: [PurchaseKey: Holding], tokenHolders: [Label: UserID],
        salt: @escaping @Sendable () -> [UInt8]
    ) {
        self.now = now
        self.people = people
        keys = holdings.keys.sorted()
        self.holdings = holdings
        self.tokenHolders = tokenHolders
        self.salt = salt
    }

    /// What a decision about `users` and the purchases of `keys` may know: of all erased people too, for they may owe something.
    func history(
        for users: Set<UserID>, _ keys: Set<PurchaseKey>, isEvidenceNew: Bool
    ) -> PurchaseHistory {
        let users = users.union(keys.compactMap { holdings[$0]?.owner }).union(people.keys.filter(\.isErased))
        return PurchaseHistory(
            now: now,
            ledgers: Dictionary(
                uniqueKeysWithValues: users.compactMap { user in people[user].map { (user, $0.ledger) } }),
            purchases: keys.reduce(into: [:]) { known, key in
                known[key] = holdings[key].map {
                    .init(owner: $0.owner, states: $0.states.map(\.purchase) + $0.brought.compactMap(\.state))
                }
            }, tokenHolders: tokenHolders, isEvidenceNew: isEvidenceNew)
    }

    /// Keeps a statement, unless it is there: repeats, and the other spellings of a signature, change nothing. It enters the ledgers
    /// of all who have or had the purchase, and with it what was a repeat until it came; one that has a row does not where the one
    /// signed before it says the same (`semantics.md` §1). Whether it was kept.
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

    /// Forgets of what was recorded what ledgers alone would keep of purchases that nobody has, once that is decided; the rest.
    mutating func dropUnowned(of evidence: [Evidence]) -> [Evidence] {
        let isKept = { (evidence: Evidence, holdings: [PurchaseKey: Holding]) in
            evidence.proof != nil || holdings[evidence.statement.key]?.owner != nil
        }
        let kept = evidence.filter { isKept($0, holdings) }
        for dropped in evidence where !isKept(dropped, holdings) { holdings[dropped.statement.key]?.brought = [] }
        return kept
    }

    /// Adds a state to those that have rows, unless it has one.
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

    /// Whether a statement is known of a purchase beside the states that have rows.
    private func isStated(_ statement: Statement, in holding: Holding) -> Bool {
        holding.brought.contains(statement)
            || holding.holders.contains {
                people[$0]?.ledger.entries.contains { $0.fact.statement == statement } ?? false
            }
    }

    /// Enters statements, of which only the first is known not to be there.
    private mutating func enter(_ statements: [Statement], into user: UserID) {
        let lacking = statements.dropFirst().filter { statement in
            !(people[user]?.ledger.entries.contains { $0.fact.statement == statement } ?? false)
        }
        append((statements.prefix(1) + lacking).map { .init(.stated($0), at: $0.signedAt) }, to: user)
    }

    /// Whether a former holder may know of a statement: what a store renews for the present owner is not theirs to see.
    private func concerns(_ formerHolder: UserID, _ statement: Statement) -> Bool {
        guard case .purchase(let state) = statement else { return false }
        guard state.type == .plan else { return true }
        return people[formerHolder]?.ledger.entries.contains { entry in
            entry.fact.state.map { $0.key == state.key && $0.transactionID == state.transactionID } ?? false
        } ?? false
    }

    /// Does what a decision wants: bindings, then moves, then the other facts, then tokens.
    mutating func apply<Reply, Refusal>(_ decision: Decision<Reply, Refusal>) {
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
                case .stated, .bound, .gaveAway, .received, .debtPassedOn, .debtTakenOver, .credit, .device,
                    .sandboxTester, .consumptionConsent:
                    break
                }
            }
        }
        for (token, user) in decision.tokens { give(token, to: user) }
        for row in decision.sideRows {
            guard let stored = row as? any StoredSideRow else { return misuse() }
            sideRows.append(stored)
        }
    }

    private mutating func give(_ token: Label, to user: UserID) {
        guard people[user] != nil else { return misuse() }
        tokenHolders[token] = user
        movedTokens.insert(token)
    }

    /// What is about a purchase itself concerns all who have or had it.
    private mutating func tellOthers(than user: UserID, _ draft: LedgerEntry.Draft, of key: PurchaseKey) {
        for holder in holdings[key]?.holders ?? [] where holder != user { append([draft], to: holder) }
    }

    /// Makes a purchase a user's: everything known of it enters the user's ledger.
    private mutating func bind(_ key: PurchaseKey, to user: UserID, note: Note?) {
        guard let holding = holdings[key], holding.owner == nil else { return misuse() }
        let signed = holding.states.map { Statement.purchase($0.purchase) }
        let statements = (signed.filter { !$0.isRepeat(among: signed) } + holding.brought)
            .map { LedgerEntry.Draft(.stated($0), at: $0.signedAt) }
        append(statements + [.init(.bound(key), at: now, note: note)], to: user)
        setOwner(of: key, user)
    }

    /// Makes the purchase that a grant is a user's; its facts are drafted by the decision.
    private mutating func give(_ key: PurchaseKey, to user: UserID) {
        guard let holding = holdings[key], holding.owner == nil else { return misuse() }
        setOwner(of: key, user)
    }

    /// Makes a purchase another user's: what the giver knows about it enters the receiver's ledger, and both say so in the same
    /// words.
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

    /// Appends in the order of `recorded_at`, behind entries that this program cannot read too.
    private mutating func append(_ drafts: [LedgerEntry.Draft], to user: UserID) {
        guard let head = people[user]?.head else { return misuse() }
        let digests = drafts.map { draft in draft.note.map { keep($0, about: head.pseudonym) } ?? draft.kept }
        var next = digests.makeIterator()
        people[user]?.ledger.append(drafts, at: max(now, head.lastRecordedAt + 1)) { _ in next.next() ?? nil }
    }

    /// Keeps words, to be written with the entry that they go with.
    private mutating func keep(_ note: Note, about subject: UInt64, and other: UInt64? = nil) -> NoteDigest {
        let row = NoteRow(note, about: subject, and: other, salt: salt())
        notes.append(row)
        return row.digest
    }

    private mutating func misuse() { isMisused = true }
}

extension UserLedger {
    /// What goes along with the purchase of `key` and is not known here, of what `giver` knows.
    fileprivate func lacking(of key: PurchaseKey, in giver: UserLedger) -> [LedgerEntry.Draft] {
        let known = Set(entries.lazy.map(\.fact).filter { $0.purchase == key })
        return giver.entries.lazy.filter { entry in
            entry.fact.purchase == key && entry.fact.goesWithPurchase && !known.contains(entry.fact)
        }.map { LedgerEntry.Draft($0.fact, at: $0.effectiveAt, kept: $0.note) }
    }
}

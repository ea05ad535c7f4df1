import Entitlements

/// A batch's copy of the rows that it has locked. Decisions read and change the copy, and the batch writes it back at
/// the end.
struct Workspace {
    /// A person's ledger: as loaded, and with the entries that this batch appended.
    struct Person {
        let head: UserRow.Head
        let loaded: UserLedger
        /// The ids of the rows of the purchases in the loaded ledger.
        let purchases: [PurchaseKey: UInt64]
        var ledger: UserLedger

        /// The entries that this batch appended.
        var appended: Slice<ChunkedList<LedgerEntry>> { ledger.entries[loaded.entries.count...] }
    }

    /// A purchase with its owner, its former holders and all statements about it.
    struct Holding {
        /// The id of the purchase's row; nil until the row is written.
        var id: UInt64?
        var owner: UserID?
        /// The instant at which the owner got the purchase; nil unless this batch made them its owner.
        var ownedSince: Instant?
        /// The users who had the purchase before. Statements that are made about it later enter their ledgers too.
        var formerHolders: Set<UserID> = []
        /// The signed states, which have rows of their own.
        var states: [State] = []
        /// The statements that are stored in ledgers alone once the purchase has an owner. Waiting statements come
        /// first, then the statements that this batch brought.
        var brought: [Statement] = []
        /// The number of waiting statements at the start of `brought`. Their rows exist already, so the batch inserts
        /// only the elements after them.
        var waiting = 0
        /// The owner and the former holders as loaded.
        var loadedOwner: UserID?
        var loadedHolders: Set<UserID> = []

        /// True if the purchase has a row, an owner or any statement.
        var isKnown: Bool { id != nil || owner != nil || !states.isEmpty || !brought.isEmpty }

        /// The owner and the former holders, in ascending order.
        var holders: [UserID] { (owner.map { formerHolders.union([$0]) } ?? formerHolders).sorted() }
    }

    /// A state, and the row that it has or will have.
    struct State {
        let purchase: VerifiedPurchase
        /// The statement in the encoding of its row and of ledgers.
        let statement: String
        let contentHash: [UInt8]
        /// The id of the state's row; nil until the row is written.
        var id: UInt64?
        /// The id of the row that keeps the text; nil if this state's own row does, or until the state in `repeats` is
        /// written.
        var textOf: UInt64?
        /// The index of another new state whose row keeps the text of this state; nil if there is none.
        let repeats: Int?
        /// The signed text with its details, and the instant of recording, for the row that the batch writes; nil for a
        /// state that already has its row.
        let new: (proof: Evidence.Proof, recordedAt: Instant)?
    }

    let now: Instant
    var people: [UserID: Person]
    /// The keys of the holdings, in ascending order, in which purchases are locked.
    let keys: [PurchaseKey]
    var holdings: [PurchaseKey: Holding]
    private(set) var tokenHolders: [Label: UserID]
    /// The account tokens that this batch moved to another user.
    private(set) var movedTokens: Set<Label> = []
    /// The mentions of Apple accounts that this batch signed out, and their users if they have none yet.
    private(set) var signOuts: [Label: UserID] = [:]
    /// The purchases that this batch bound with the proof of their Apple account, or by an operator. If they carry no
    /// account token, the store is told that of their owners.
    private(set) var proven: Set<PurchaseKey> = []
    /// The users to whom a purchase was refused although they proved its Apple account.
    private(set) var refusedClaims: [(purchase: PurchaseKey, user: UserID)] = []
    /// The notes of the entries that this batch appended.
    private(set) var notes: [NoteRow] = []
    /// The names and numbers in the batch's deliveries, which are locked.
    private let names: KnownNames
    /// The placements of the deliveries in this batch.
    private(set) var placements: [Placement] = []
    /// True if a decision concerned people or purchases that its request had not named. Then nothing of the batch is
    /// written.
    private(set) var isMisused = false
    /// The number of entries that moves have read.
    private(set) var steps = 0
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

    /// The history that a decision gets: about `users`, the purchases of `keys`, and the purchases to which the numbers
    /// in `news` lead.
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

    /// Adds a statement unless it is already known, and returns whether it was new. Another signature under the same
    /// statement is not new.
    ///
    /// A new statement enters the ledgers of the owner and the former holders. So does a recorded statement that was a
    /// repeat and, beside the new statement, is a repeat no longer. A signed state enters no ledger if the state signed
    /// before it has the same content (`semantics.md` §1).
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

    /// Adds a signed state, and returns true, unless the transaction has a state with the same signing date and
    /// content.
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

    /// True if a statement of a source without signed texts is already known.
    private func isStated(_ statement: Statement, in holding: Holding) -> Bool {
        holding.brought.contains(statement)
            || holding.holders.contains {
                people[$0]?.ledger.entries.contains { $0.fact.statement == statement } ?? false
            }
    }

    /// Appends statements to a user's ledger. The first one is known to be missing there; the others are appended only
    /// if missing.
    private mutating func enter(_ statements: [Statement], into user: UserID) {
        let lacking = statements.dropFirst().filter { statement in
            !(people[user]?.ledger.entries.contains { $0.fact.statement == statement } ?? false)
        }
        append((statements.prefix(1) + lacking).map { .init(.stated($0), at: $0.signedAt) }, to: user)
    }

    /// True if a statement enters the ledger of a former holder. States of a plan do so only for transactions that are
    /// already in that ledger, because renewals for the present owner are none of the former holder's business.
    private func concerns(_ formerHolder: UserID, _ statement: Statement) -> Bool {
        guard case .purchase(let state) = statement else { return false }
        guard state.type == .plan else { return true }
        return people[formerHolder]?.ledger.entries.contains { entry in
            entry.fact.state.map { $0.key == state.key && $0.transactionID == state.transactionID } ?? false
        } ?? false
    }

    /// Applies a decision, in this order: the statements of a delivery, bindings, moves, other facts, account tokens.
    mutating func apply<Reply, Refusal>(_ decision: Decision<Reply, Refusal>) {
        if let placement = decision.placement { apply(placement) }
        for (key, user) in decision.bindings.sorted(by: { $0.key < $1.key }) {
            bind(key, to: user, note: decision.bindingNote)
        }
        carryOut(decision.moves)
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
        signOuts.merge(decision.signOuts) { $1 }
        proven.formUnion(decision.proven)
        if decision.bindingNote != nil { proven.formUnion(decision.bindings.keys) }
        proven.formUnion(decision.moves.keys)
        refusedClaims += decision.contested.sorted { $0.key < $1.key }.map { (purchase: $0.key, user: $0.value) }
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

    /// Appends a fact about a purchase to the ledgers of its owner and all former holders, except `user`.
    private mutating func tellOthers(than user: UserID, _ draft: LedgerEntry.Draft, of key: PurchaseKey) {
        for holder in holdings[key]?.holders ?? [] where holder != user { append([draft], to: holder) }
    }

    /// Binds a purchase that nobody has to a user. All statements about the purchase enter the user's ledger, except
    /// repeats.
    private mutating func bind(_ key: PurchaseKey, to user: UserID, note: Note?) {
        guard let holding = holdings[key], holding.owner == nil else { return misuse() }
        let signed = holding.states.map { Statement.purchase($0.purchase) }
        let statements = (signed.filter { !$0.isRepeat(among: signed) } + holding.brought)
            .map { LedgerEntry.Draft(.stated($0), at: $0.signedAt) }
        append(statements + [.init(.bound(key), at: now, note: note)], to: user)
        setOwner(of: key, user)
    }

    /// Makes a user the owner of the purchase that a grant creates. The facts of the grant are already in the user's
    /// ledger.
    private mutating func give(_ key: PurchaseKey, to user: UserID) {
        guard let holding = holdings[key], holding.owner == nil else { return misuse() }
        setOwner(of: key, user)
    }

    /// Moves purchases to other users. The givers' facts about them enter the receivers' ledgers, and both ledgers
    /// refer to the same note. Each ledger is read once, however many purchases move.
    private mutating func carryOut(_ moves: [PurchaseKey: Move]) {
        let concerned = Set(moves.values.map(\.receiver)).union(moves.keys.compactMap { holdings[$0]?.owner })
        var known: [UserID: [PurchaseKey: [LedgerEntry]]] = [:]
        for user in concerned { known[user] = entries(of: user, about: moves) }
        for (key, move) in moves.sorted(by: { $0.key < $1.key }) {
            guard let giver = holdings[key]?.owner, let from = people[giver]?.head.pseudonym,
                let to = people[move.receiver]?.head.pseudonym
            else { return misuse() }
            let note = move.note.map { keep($0, about: from, and: to) }
            let theirs = Set((known[move.receiver]?[key] ?? []).map(\.fact))
            let lacking = (known[giver]?[key] ?? []).filter { entry in
                entry.fact.goesWithPurchase && !theirs.contains(entry.fact)
            }.map { LedgerEntry.Draft($0.fact, at: $0.effectiveAt, kept: $0.note) }
            append([.init(.gaveAway(key, move.handover), at: move.effectiveAt, kept: note)], to: giver)
            append(
                lacking + [.init(.received(key, move.handover), at: move.effectiveAt, kept: note)], to: move.receiver)
            holdings[key]?.formerHolders.insert(giver)
            setOwner(of: key, move.receiver)
        }
    }

    /// The entries of a user's ledger about the purchases that move, by purchase.
    private mutating func entries(
        of user: UserID, about moves: [PurchaseKey: Move]
    ) -> [PurchaseKey: [LedgerEntry]] {
        var entries: [PurchaseKey: [LedgerEntry]] = [:]
        for entry in people[user]?.ledger.entries ?? [] {
            steps += 1
            guard let key = entry.fact.purchase, moves[key] != nil else { continue }
            entries[key, default: []].append(entry)
        }
        return entries
    }

    /// Sets the owner of a purchase. The instant of the change is the recording instant of the last entry in the user's
    /// ledger.
    private mutating func setOwner(of key: PurchaseKey, _ user: UserID) {
        holdings[key]?.owner = user
        holdings[key]?.ownedSince = people[user]?.ledger.entries.last?.recordedAt
    }

    /// Appends facts to a user's ledger. `recorded_at` is later than that of every entry, even of entries that this
    /// program cannot read.
    private mutating func append(_ drafts: [LedgerEntry.Draft], to user: UserID) {
        guard let head = people[user]?.head else { return misuse() }
        let digests = drafts.map { draft in draft.note.map { keep($0, about: head.pseudonym) } ?? draft.kept }
        var next = digests.makeIterator()
        people[user]?.ledger.append(drafts, at: max(now, head.lastRecordedAt + 1)) { _ in next.next() ?? nil }
    }

    /// Adds a note, which is written together with its entry, and returns its digest.
    private mutating func keep(_ note: Note, about subject: UInt64, and other: UInt64? = nil) -> NoteDigest {
        let row = NoteRow(note, about: subject, and: other, salt: salt())
        notes.append(row)
        return row.digest
    }

    private mutating func misuse() { isMisused = true }
}

extension Workspace {
    /// Makes long ledgers keep their timelines, so that an act with credits or a device folds only the new entries.
    mutating func keepFolds(given catalogue: CatalogueVersions, settings: EntitlementSettings) {
        for (user, person) in people where person.loaded.entries.count >= LedgerCache.longLength {
            guard !person.loaded.hasFold(given: catalogue, settings: settings) else { continue }
            var ledger = person.loaded
            ledger.keepFold(given: catalogue, settings: settings)
            people[user] = Person(head: person.head, loaded: ledger, purchases: person.purchases, ledger: ledger)
        }
    }
}

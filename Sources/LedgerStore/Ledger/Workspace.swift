import Entitlements

/// One batch's copy of the rows it has locked: decisions read it and change it, and it is written back at the end.
struct Workspace {
    /// A person's ledger, and where it stood when it was loaded.
    struct Person {
        let head: UserRow.Head
        let loaded: UserLedger
        /// The rows of the purchases in the ledger as loaded.
        let purchases: [PurchaseKey: UInt64]
        /// What stands in the rows for those of them that are buried.
        let tombstones: [PurchaseKey: PurchaseKey]
        var ledger: UserLedger

        /// The entries that this batch appended.
        var appended: ArraySlice<LedgerEntry> { ledger.entries[loaded.entries.count...] }
    }

    /// A purchase and all of its states.
    struct Holding {
        /// Nil until it is written.
        var id: UInt64?
        /// What stands in the row for the purchase, once it was buried.
        var tombstone: PurchaseKey?
        /// Whether the row has the number that it is called by here beside its tombstone.
        var isNamed = false
        var owner: UserID?
        /// Since when, if this batch made it theirs.
        var ownedSince: Instant?
        /// Who had it before; what is learned of it enters their ledgers too.
        var formerHolders: Set<UserID> = []
        var states: [State] = []
        /// The owner and the former holders that the rows name.
        var loadedOwner: UserID?
        var loadedHolders: Set<UserID> = []

        /// Everybody who has or had it, ascending.
        var holders: [UserID] { (owner.map { formerHolders.union([$0]) } ?? formerHolders).sorted() }
    }

    /// A state, and the row it has or will have.
    struct State {
        let purchase: VerifiedPurchase
        /// As its row has it.
        var contentHash: [UInt8]
        /// Nil until it is written.
        var id: UInt64?
        /// The row that keeps the text: nil for this row itself.
        var textOf: UInt64?
        /// For a new one whose text stands in another new one: where among the purchase's states.
        var repeats: Int?
        /// What to write, for a new one.
        let new: (evidence: Evidence, recordedAt: Instant)?
        /// What came again of one that is there, where an erasure may have taken the text.
        var resent: Evidence?
        /// Whether the row has tombstones where the request names transaction or period.
        var isRecognized = false
    }

    let now: Instant
    var people: [UserID: Person]
    /// The keys of the holdings, in the order in which purchases are locked.
    let keys: [PurchaseKey]
    var holdings: [PurchaseKey: Holding]
    private(set) var tokenHolders: [AccountToken: UserID]
    let tombstoneKey: TombstoneKey
    /// What stands in the rows for the buried purchases of holdings and ledgers.
    private(set) var tombstones: [PurchaseKey: PurchaseKey] = [:]
    /// The account tokens that name somebody else since this batch.
    private(set) var movedTokens: Set<AccountToken> = []
    /// Whether a decision concerned people or purchases that its request had not named: nothing of the batch is kept.
    private(set) var isMisused = false

    init(
        now: Instant, people: [UserID: Person], holdings: [PurchaseKey: Holding], tokenHolders: [AccountToken: UserID],
        tombstoneKey: TombstoneKey
    ) {
        self.now = now
        self.people = people
        keys = holdings.keys.sorted()
        self.holdings = holdings
        self.tokenHolders = tokenHolders
        self.tombstoneKey = tombstoneKey
    }

    /// What a decision about `users` and the purchases of `keys` may know: of all erased people too, for they may owe something.
    func history(for users: Set<UserID>, _ keys: Set<PurchaseKey>) -> PurchaseHistory {
        let users = users.union(keys.compactMap { holdings[$0]?.owner }).union(people.keys.filter(\.isErased))
        return PurchaseHistory(
            now: now,
            ledgers: Dictionary(
                uniqueKeysWithValues: users.compactMap { user in people[user].map { (user, $0.ledger) } }),
            purchases: keys.reduce(into: [:]) { known, key in
                known[key] = holdings[key].map { .init(owner: $0.owner, states: $0.states.map(\.purchase)) }
            }, tokenHolders: tokenHolders)
    }

    /// Keeps a state, unless it is there: repeats, and the other spellings of a signature, change nothing. Unless it says what
    /// the one signed before it says, it enters the ledgers of all who have or had the purchase, and with it what was a repeat
    /// until it came (`semantics.md` §1).
    mutating func record(_ evidence: Evidence) {
        let state = evidence.purchase
        guard var holding = holdings[state.key] else { return misuse() }
        let contentHash = ContentDigest.bytes(of: state)
        let buriedHash = holding.tombstone.map { _ in tombstoneKey.tombstone(ofDigest: contentHash) }
        let alike = holding.states.indices.filter {
            (holding.states[$0].contentHash == contentHash || holding.states[$0].contentHash == buriedHash)
                && holding.states[$0].purchase.transactionID == state.transactionID
        }
        if let known = alike.first(where: { holding.states[$0].purchase.signedAt == state.signedAt }) {
            if holding.holders.contains(where: \.isErased) { holdings[state.key]?.states[known].resent = evidence }
            return
        }
        let first = alike.first.map { holding.states[$0] }
        holding.states.append(
            State(
                purchase: state, contentHash: contentHash, id: nil, textOf: first.flatMap { $0.textOf ?? $0.id },
                repeats: first?.id == nil ? alike.first : nil, new: (evidence, now)))
        holdings[state.key] = holding
        let known = holding.states.dropLast().map(\.purchase)
        guard !state.isRepeat(among: known) else { return }
        let noLongerRepeats = state.endingRepeats(among: known)
        for holder in holding.holders where holder == holding.owner || concerns(holder, state) {
            enter([state] + noLongerRepeats, into: holder)
        }
    }

    /// Enters states, of which only the first is known not to be there.
    private mutating func enter(_ states: [VerifiedPurchase], into user: UserID) {
        let lacking = states.dropFirst().filter { state in
            !(people[user]?.ledger.entries.contains { $0.fact.state == state } ?? false)
        }
        append((states.prefix(1) + lacking).map { .init(.evidence($0), at: $0.signedAt) }, to: user)
    }

    /// Whether a former holder may know of a state: what a store renews for the present owner is not theirs to see.
    private func concerns(_ formerHolder: UserID, _ state: VerifiedPurchase) -> Bool {
        guard state.type == .autoRenewable else { return true }
        return people[formerHolder]?.ledger.entries.contains { entry in
            entry.fact.state.map { $0.key == state.key && $0.transactionID == state.transactionID } ?? false
        } ?? false
    }

    /// Does what a decision wants: bindings, then moves, then debts, then the other facts, then tokens.
    mutating func apply<Reply, Refusal>(_ decision: Decision<Reply, Refusal>) {
        for (key, user) in decision.bindings.sorted(by: { $0.key < $1.key }) {
            bind(key, to: user, note: decision.bindingNote)
        }
        for (key, move) in decision.moves.sorted(by: { $0.key < $1.key }) { carryOut(move, of: key) }
        for move in decision.debts { carryOut(move) }
        for (user, drafts) in decision.drafts.sorted(by: { $0.key < $1.key }) {
            append(drafts, to: user)
            for draft in drafts {
                switch draft.fact {
                case .granted(let grant): give(grant.key, to: user)
                case .withdrawn(let key):
                    tellOthers(than: user, LedgerEntry.Draft(draft.fact, at: draft.effectiveAt), of: key)
                case .evidence, .bound, .gaveAway, .received, .debtLeft, .debtCame, .credit, .device, .sandboxTester,
                    .consumptionConsent:
                    break
                }
            }
        }
        for (token, user) in decision.tokens { give(token, to: user) }
    }

    private mutating func give(_ token: AccountToken, to user: UserID) {
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
        let known = holding.states.map(\.purchase)
        let states = known.filter { !$0.isRepeat(among: known) }
            .map { LedgerEntry.Draft(.evidence($0), at: $0.signedAt) }
        append(states + [.init(.bound(key), at: now, note: note)], to: user)
        setOwner(of: key, user)
    }

    /// Makes the purchase that a grant is a user's; its facts are drafted by the decision.
    private mutating func give(_ key: PurchaseKey, to user: UserID) {
        guard let holding = holdings[key], holding.owner == nil else { return misuse() }
        setOwner(of: key, user)
    }

    /// Makes a purchase another user's: what the giver knows about it enters the receiver's ledger, and both say so.
    private mutating func carryOut(_ move: Move, of key: PurchaseKey) {
        guard let holding = holdings[key], let giver = holding.owner, let given = people[giver]?.ledger,
            let receiver = people[move.receiver]?.ledger
        else { return misuse() }
        append([.init(.gaveAway(key, move.handover), at: move.effectiveAt, note: move.note)], to: giver)
        append(
            receiver.lacking(of: key, in: given)
                + [.init(.received(key, move.handover), at: move.effectiveAt, note: move.note)], to: move.receiver)
        holdings[key]?.formerHolders.insert(giver)
        setOwner(of: key, move.receiver)
    }

    /// Makes what is owed of a lot another user's, who learns from now on what becomes of it; whose the lot is stays as it was.
    private mutating func carryOut(_ move: DebtMove) {
        guard holdings[move.lot] != nil, let given = people[move.giver]?.ledger,
            let receiver = people[move.receiver]?.ledger
        else { return misuse() }
        append([.init(.debtLeft(move.lot, move.debt), at: move.effectiveAt)], to: move.giver)
        append(
            receiver.lacking(of: move.lot, in: given).filter { !$0.fact.isDebtLeft }
                + [.init(.debtCame(move.lot, move.debt), at: move.effectiveAt)], to: move.receiver)
        holdings[move.lot]?.formerHolders.insert(move.receiver)
    }

    /// The last fact in the user's ledger is the one that made it theirs.
    private mutating func setOwner(of key: PurchaseKey, _ user: UserID) {
        holdings[key]?.owner = user
        holdings[key]?.ownedSince = people[user]?.ledger.entries.last?.recordedAt
    }

    /// Appends in the order of `recorded_at`, behind entries that this program cannot read too.
    private mutating func append(_ drafts: [LedgerEntry.Draft], to user: UserID) {
        guard let head = people[user]?.head else { return misuse() }
        people[user]?.ledger.append(drafts, at: max(now, head.lastRecordedAt + 1))
    }

    private mutating func misuse() { isMisused = true }
}

extension Workspace {
    /// Once everything is called as the requests call it.
    mutating func noteTombstones() {
        for person in people.values { tombstones.merge(person.tombstones) { first, _ in first } }
        for (key, holding) in holdings { holding.tombstone.map { tombstones[key] = $0 } }
    }
}

extension Fact {
    fileprivate var isDebtLeft: Bool {
        guard case .debtLeft = self else { return false }
        return true
    }

    /// The same without what erasing a person takes out of a state.
    var withoutNames: Fact {
        guard case .evidence(let state) = self else { return self }
        return .evidence(state.withoutNames)
    }
}

extension UserLedger {
    /// What goes along with the purchase of `key` and is not known here, of what `giver` knows.
    fileprivate func lacking(of key: PurchaseKey, in giver: UserLedger) -> [LedgerEntry.Draft] {
        let known = Set(entries.lazy.filter { $0.fact.purchase == key }.map(\.fact.withoutNames))
        return giver.entries.lazy.filter { entry in
            entry.fact.purchase == key && entry.fact.goesWithPurchase && !known.contains(entry.fact.withoutNames)
        }.map { LedgerEntry.Draft($0.fact, at: $0.effectiveAt, note: $0.note) }
    }
}

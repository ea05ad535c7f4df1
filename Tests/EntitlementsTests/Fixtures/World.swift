import Entitlements

/// Several users, and their ledgers as they grow by decisions: what the ledger's store does, without a store.
struct World {
    private(set) var ledgers: [UserID: UserLedger] = [:]
    private var states: [PurchaseKey: [VerifiedPurchase]] = [:]
    private(set) var owners: [PurchaseKey: UserID] = [:]
    /// Who has or had it.
    private var keepers: [PurchaseKey: Set<UserID>] = [:]
    var tokenHolders: [Label: UserID] = [:]

    /// Has what ledgers give go along with them, as those of servers do.
    mutating func keepFolds(given catalogue: CatalogueVersions, settings: EntitlementSettings) {
        for user in ledgers.keys { ledgers[user]?.keepFold(given: catalogue, settings: settings) }
    }

    func ledger(of user: UserID) -> UserLedger { ledgers[user] ?? UserLedger(user: user) }

    func history(at now: Instant) -> PurchaseHistory {
        let known = states.reduce(into: [:]) {
            $0[$1.key] = PurchaseHistory.KnownPurchase(owner: owners[$1.key], states: $1.value)
        }
        return PurchaseHistory(now: now, ledgers: ledgers, purchases: known, tokenHolders: tokenHolders)
    }

    /// Evidence enters the ledgers of all who have or had the purchase; of a chain, those who had it learn nothing of
    /// later transactions.
    mutating func record(_ state: VerifiedPurchase, at now: Instant) {
        guard states[state.key]?.contains(state) != true else { return }
        states[state.key, default: []].append(state)
        for user in keepers[state.key] ?? [] where owners[state.key] == user || concerns(user, state) {
            append(.init(.stated(.purchase(state)), at: state.signedAt), to: user, at: now)
        }
    }

    /// What the store says of a renewal enters the ledger of whoever has the chain.
    mutating func record(_ renewal: VerifiedRenewal, at now: Instant) {
        guard let owner = owners[renewal.key] else { return }
        append(.init(.stated(.renewal(renewal)), at: renewal.signedAt), to: owner, at: now)
    }

    private func concerns(_ keeper: UserID, _ state: VerifiedPurchase) -> Bool {
        guard state.type == .plan else { return true }
        return ledger(of: keeper).entries.contains { entry in
            entry.fact.purchase == state.key && entry.fact.state?.transactionID == state.transactionID
        }
    }

    @discardableResult
    mutating func attach(
        _ state: VerifiedPurchase, to user: UserID, proof: AccountProof? = nil, at now: Instant,
        in context: ClaimContext = .example
    ) -> Result<Claim, AttachRefusal> {
        record(state, at: now)
        let attach = Attach(state, to: user, proof: proof, in: context)
        return apply(attach.decide(given: history(at: now)), at: now)
    }

    mutating func restore(
        _ items: [VerifiedPurchase], to user: UserID, proof: AccountProof? = nil, at now: Instant,
        in context: ClaimContext = .example
    ) -> Result<[Restore.Verdict], Never> {
        for state in items { record(state, at: now) }
        let restore = Restore(items, to: user, proof: proof, in: context)
        return apply(restore.decide(given: history(at: now)), at: now)
    }

    /// An operator's transfer of one purchase.
    @discardableResult
    mutating func move(
        _ id: String, from giver: UserID, to receiver: UserID, at now: Instant
    ) -> Result<[PurchaseKey], OperatorRefusal> {
        move(.one(.named(id)), from: giver, to: receiver, at: now)
    }

    /// An operator's transfer.
    @discardableResult
    mutating func move(
        _ selection: OperatorAct.Selection, from giver: UserID, to receiver: UserID, at now: Instant,
        in context: FoldContext = .example
    ) -> Result<[PurchaseKey], OperatorRefusal> {
        let act = OperatorAct(on: giver, note: .support)
        return apply(act.transfer(selection, to: receiver, given: history(at: now), in: context), at: now)
    }

    /// Reserves so many credits for an hour.
    mutating func reserve(_ amount: Int, of user: UserID, at now: Instant) {
        let draw = DrawCredits(.of(amount), from: .credit, of: user, idempotencyKey: "\(now)", request: "")
        let reserved = draw.reserve(
            for: .of(3_600), as: ReservationID("r \(now)"), given: history(at: now), in: .example, under: .everyone)
        apply(reserved, at: now)
    }

    /// Spends so many credits.
    mutating func spend(_ amount: Int, of user: UserID, at now: Instant) {
        let draw = DrawCredits(.of(amount), from: .credit, of: user, idempotencyKey: "\(now)", request: "")
        apply(draw.spend(given: history(at: now), in: .example, under: .everyone), at: now)
    }

    /// Appends what a decision wants and returns its answer.
    @discardableResult
    mutating func apply<Reply, Refusal>(
        _ decision: Decision<Reply, Refusal>, at now: Instant
    ) -> Result<Reply, Refusal> {
        for (key, user) in decision.bindings.sorted(by: { $0.key < $1.key }) {
            for state in states[key] ?? [] {
                append(.init(.stated(.purchase(state)), at: state.signedAt), to: user, at: now)
            }
            append(.init(.bound(key), at: now, note: decision.bindingNote), to: user, at: now)
            own(key, user)
        }
        for (key, move) in decision.moves.sorted(by: { $0.key < $1.key }) { apply(move, of: key, at: now) }
        for (user, drafts) in decision.drafts {
            for draft in drafts {
                append(draft, to: user, at: now)
                if case .granted(let grant) = draft.fact { own(grant.key, user) }
                guard case .withdrawn(let key) = draft.fact else { continue }
                for keeper in keepers[key] ?? [] where keeper != user { append(draft, to: keeper, at: now) }
            }
        }
        return decision.answer
    }

    private mutating func apply(_ move: Move, of key: PurchaseKey, at now: Instant) {
        guard let giver = owners[key] else { return }
        let known = Set(ledger(of: move.receiver).entries.map(\.fact))
        for entry in ledger(of: giver).entries where entry.fact.purchase == key && entry.fact.goesWithPurchase {
            guard !known.contains(entry.fact) else { continue }
            append(.init(entry.fact, at: entry.effectiveAt, kept: entry.note), to: move.receiver, at: now)
        }
        append(.init(.gaveAway(key, move.handover), at: move.effectiveAt, note: move.note), to: giver, at: now)
        append(.init(.received(key, move.handover), at: move.effectiveAt, note: move.note), to: move.receiver, at: now)
        own(key, move.receiver)
    }

    /// Once erased, a person is known by the pseudonym alone.
    mutating func erase(_ user: UserID, as pseudonym: UInt64) {
        let erased = UserID.erased(pseudonym: pseudonym)
        ledgers[erased] = UserLedger(user: erased, entries: ledger(of: user).entries)
        ledgers[user] = nil
        for (key, owner) in owners where owner == user { owners[key] = erased }
        for (key, who) in keepers where who.contains(user) { keepers[key] = who.subtracting([user]).union([erased]) }
    }

    private mutating func own(_ key: PurchaseKey, _ user: UserID) {
        owners[key] = user
        keepers[key, default: []].insert(user)
    }

    private mutating func append(_ draft: LedgerEntry.Draft, to user: UserID, at now: Instant) {
        ledgers[user, default: UserLedger(user: user)].append([draft], at: now, digesting: NoteDigest.of)
    }

    func timeline(
        of user: UserID, in catalogue: CatalogueVersions = .example, knownAt: Instant? = nil
    ) -> Timeline {
        let ledger = ledger(of: user)
        return Timeline(folding: knownAt.map { ledger.known(at: $0) } ?? ledger, given: catalogue, settings: .everyone)
    }

    func status(of user: UserID, at instant: Instant) -> Status { timeline(of: user).status(at: instant) }

    /// The planned pieces of a user as lines such as `p1 01-01..01-31`.
    func segments(of user: UserID, knownAt: Instant? = nil) -> [String] {
        timeline(of: user, knownAt: knownAt).planned.map(\.segment.text)
    }
}

extension FoldContext {
    static let example = FoldContext(catalogue: .example, settings: .everyone)
}

extension ClaimContext {
    static let example = ClaimContext(rules: ClaimRules(), fold: .example)
}

extension Note {
    static let support = Note(actor: "support", reason: "asked for", reference: "ticket 1")
}

extension PurchaseName {
    static func named(
        _ id: String, source: Source? = nil, environment: StoreEnvironment? = nil
    ) -> PurchaseName {
        PurchaseName(ExternalID(id), source: source, environment: environment)
    }
}

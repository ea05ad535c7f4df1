/// The claims of one request, judged one after the other by the rules of `semantics.md` §5: what one moves counts
/// against the limits of the next.
struct Claims {
    let history: PurchaseHistory
    let user: UserID
    /// The `appTransactionId` of a verified AppTransaction that came with the request.
    let proof: AppTransactionID?
    let context: ClaimContext
    private(set) var bindings: [PurchaseKey: UserID] = [:]
    private(set) var moves: [PurchaseKey: Move] = [:]
    private var timelines: [UserID: Timeline] = [:]

    init(of user: UserID, proof: AppTransactionID?, given history: PurchaseHistory, in context: ClaimContext) {
        self.history = history
        self.user = user
        self.proof = proof
        self.context = context
    }

    /// Whether the user may have the purchase of `key`; if so it becomes theirs by `bindings` or `moves`, and what erased
    /// people of its Apple account owe with it.
    mutating func claim(_ key: PurchaseKey) -> Result<Claim, AttachRefusal> {
        let answer = judge(key)
        guard case .success = answer else { return answer }
        for erased in history.ledgers.keys.filter(\.isErased).sorted() {
            for account in Set(history.purchases[key]?.states.compactMap(\.appTransactionID) ?? []) {
                takeDebts(of: account, from: erased)
            }
        }
        return answer
    }

    private mutating func judge(_ key: PurchaseKey) -> Result<Claim, AttachRefusal> {
        guard let purchase = history.purchases[key] else { return .failure(.notClaimable) }
        if purchase.owner == user { return .success(.alreadyTheirs) }
        if moves[key] != nil { return .success(.transferred) }
        if let owner = purchase.owner {
            let comes = owner.isErased ? reclaim(key, purchase, from: owner) : transfer(key, purchase, from: owner)
            return comes ? .success(.transferred) : .failure(.ownedByAnotherUser)
        }
        if let refusal = refusal(of: purchase) { return .failure(refusal) }
        bindings[key] = user
        return .success(.unowned)
    }

    /// Why the user may not have a purchase that nobody owns (rules 3 and 4). The token of an erased person does not
    /// veto against the same Apple account.
    private func refusal(of purchase: PurchaseHistory.KnownPurchase) -> AttachRefusal? {
        let isProven = purchase.isProven(by: proof)
        if let holder = purchase.newestToken.flatMap({ history.tokenHolders[$0] }) {
            return holder == user || (holder.isErased && isProven) ? nil : .accountTokenMismatch
        }
        switch context.rules.unclaimed {
        case .any: return nil
        case .fresh24h: return purchase.isFresh(at: history.now) ? nil : .notClaimable
        case .proof: return isProven ? nil : .notClaimable
        }
    }

    /// Moves the purchase by the catalogue's policy (rule 2), if that, the limits and the proof allow it.
    private mutating func transfer(
        _ key: PurchaseKey, _ purchase: PurchaseHistory.KnownPurchase, from owner: UserID
    ) -> Bool {
        guard purchase.isProven(by: proof) else { return false }
        let timeline = timeline(of: owner)
        let instant = history.instantOfMove(from: owner, to: user)
        guard let index = timeline.position(ofHeld: key), timeline.maySurrender(index, at: instant, in: context)
        else { return false }
        let yearAgo = history.now + -ClaimRules.year
        let earlier = history.ledger(of: user).arrivalsByPolicy(after: yearAgo)
        let now = moves.values.count { $0.handover.cause == .policy }
        guard earlier + now < context.rules.transfersPerYear else { return false }
        moves[key] = Move(to: user, timeline.handover(of: index, at: instant, cause: .policy), at: instant)
        return true
    }

    /// Moves everything that an erased person had, whose Apple account is the user's: the clocks ran on, and what is left
    /// comes as a whole. What another Apple account bought stays.
    private mutating func reclaim(
        _ key: PurchaseKey, _ purchase: PurchaseHistory.KnownPurchase, from erased: UserID
    ) -> Bool {
        guard let proof, purchase.isProven(by: proof) else { return false }
        let others = history.ledger(of: erased).purchases(notOf: proof)
        move(from: erased) { timeline, _ in
            timeline.purchases.indices.filter { index in
                let held = timeline.purchases[index].key
                return held == key || !others.contains(held)
            }
        }
        return moves[key] != nil
    }

    /// Moves the lots of an erased person that owe more than is left of them all, if `account` bought them: units that could
    /// be spent need the proof, and none comes along.
    private mutating func takeDebts(of account: AppTransactionID, from erased: UserID) {
        let ledger = history.ledger(of: erased)
        guard ledger.entries.contains(where: { $0.fact.state?.appTransactionID == account }) else { return }
        let others = ledger.purchases(notOf: account)
        move(from: erased) { timeline, instant in
            timeline.lotsInDebt(at: instant) { !others.contains($0) }
        }
    }

    /// Moves what `selecting` takes of the purchases that an erased person still has.
    private mutating func move(from erased: UserID, selecting: (Timeline, Instant) -> [Int]) {
        let timeline = timeline(of: erased)
        let instant = history.instantOfMove(from: erased, to: user)
        for index in selecting(timeline, instant) where timeline.purchases[index].isHeld {
            let handover = timeline.handover(of: index, at: instant, cause: .reclaim)
            moves[timeline.purchases[index].key] = Move(to: user, handover, at: instant)
        }
    }

    /// Folded once, however many of the owner's purchases are claimed.
    private mutating func timeline(of owner: UserID) -> Timeline {
        if let known = timelines[owner] { return known }
        let timeline = history.timeline(of: owner, in: context.fold)
        timelines[owner] = timeline
        return timeline
    }
}

extension PurchaseHistory.KnownPurchase {
    /// The account token of the newest state that carries one; a token can be set later, so an old text without it does
    /// not escape the veto.
    fileprivate var newestToken: AccountToken? {
        states.filter { $0.accountToken != nil }.max { $0.signedAt < $1.signedAt }?.accountToken
    }

    /// Whether `proof` shows the Apple account that bought it.
    fileprivate func isProven(by proof: AppTransactionID?) -> Bool {
        proof != nil && states.contains { $0.appTransactionID == proof }
    }

    fileprivate func isFresh(at instant: Instant) -> Bool {
        states.contains { instant - $0.originallyPurchasedAt <= ClaimRules.freshness }
    }
}

extension Timeline {
    /// Whether the catalogue's policy lets the purchase at `index` go at `instant`, and it has not moved lately.
    fileprivate func maySurrender(_ index: Int, at instant: Instant, in context: ClaimContext) -> Bool {
        let purchase = purchases[index]
        guard let kind = purchase.kind, !isTouched(purchase.key, at: instant) else { return false }
        if let cameAt = purchase.tenures.last?.startsAt, instant - cameAt < context.rules.cooldown { return false }
        return switch catalogue.inForce(at: instant).catalogue.ownership[kind] {
        case .keep: false
        case .transfer: true
        case .transferIfInactive: isInactive(index, at: instant)
        }
    }
}

extension UserLedger {
    /// What another Apple account than `account` bought.
    fileprivate func purchases(notOf account: AppTransactionID) -> Set<PurchaseKey> {
        Set(
            entries.compactMap { entry in
                entry.fact.state.flatMap { $0.appTransactionID == nil || $0.appTransactionID == account ? nil : $0.key }
            })
    }
}

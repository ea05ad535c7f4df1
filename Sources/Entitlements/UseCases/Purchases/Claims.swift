/// The claims of one request, decided one after the other by the rules of `semantics.md` §5. A move by one claim counts
/// against the yearly limit of the next.
struct Claims {
    let history: PurchaseHistory
    let user: UserID
    /// The Apple account of the caller, if the request proved it.
    let proof: AccountProof?
    let context: ClaimContext
    /// The Apple accounts of which a receipt shows a purchase of the last 24 hours: of these everything that it shows
    /// counts as fresh.
    let freshAccounts: Set<AccountProof>
    private(set) var bindings: [PurchaseKey: UserID] = [:]
    /// The purchases among `bindings` whose Apple account the caller proved.
    private var proven: Set<PurchaseKey> = []
    private(set) var moves: [PurchaseKey: Move] = [:]
    /// The purchases that are refused although the caller proved their Apple account.
    private var contested: [PurchaseKey: UserID] = [:]
    private var timelines: [UserID: Timeline] = [:]
    /// The releases of reservations, for each erased person from whom purchases move.
    private var releases: [UserID: [LedgerEntry.Draft]] = [:]

    /// - Parameter receipt: The purchases that a receipt shows; none if the claim is of another text.
    init(
        of user: UserID, proof: AccountProof?, given history: PurchaseHistory, in context: ClaimContext,
        showing receipt: [VerifiedPurchase] = []
    ) {
        self.history = history
        self.user = user
        self.proof = proof
        self.context = context
        freshAccounts = Set(receipt.filter { $0.isFresh(at: history.now) }.compactMap(\.madeBy))
    }

    /// Returns the decision with everything that the claims bound, moved and released.
    func decision<Reply, Refusal>(answering answer: Result<Reply, Refusal>) -> Decision<Reply, Refusal> {
        Decision(
            bindings: bindings, proven: proven, contested: contested, moves: moves,
            drafts: releases.filter { !$0.value.isEmpty }, answer: answer)
    }

    /// Claims the purchase for the user: binds it, moves it, or refuses.
    mutating func claim(_ key: PurchaseKey) -> Result<Claim, AttachRefusal> {
        guard let purchase = history.purchases[key] else { return .failure(.notClaimable) }
        let answer = claim(key, purchase)
        if case .failure = answer, purchase.isProven(by: proof) { contested[key] = user }
        return answer
    }

    private mutating func claim(
        _ key: PurchaseKey, _ purchase: PurchaseHistory.KnownPurchase
    ) -> Result<Claim, AttachRefusal> {
        if purchase.owner == user { return .success(.alreadyTheirs) }
        if moves[key] != nil { return .success(.transferred) }
        if let owner = purchase.owner {
            let comes = owner.isErased ? reclaim(key, purchase, from: owner) : transfer(key, purchase, from: owner)
            return comes ? .success(.transferred) : .failure(.ownedByAnotherUser)
        }
        if let refusal = refusal(of: purchase) { return .failure(refusal) }
        bindings[key] = user
        if purchase.isProven(by: proof) { proven.insert(key) }
        return .success(.unowned)
    }

    /// Returns the reason why the user may not have a purchase that nobody has (rules 3 and 4); nil if they may. The
    /// token of an erased person does not veto a claim with proof of the same Apple account. A legacy token without a
    /// holder names a user who was not seen yet, so it vetoes.
    private func refusal(of purchase: PurchaseHistory.KnownPurchase) -> AttachRefusal? {
        let isProven = purchase.isProven(by: proof)
        if let token = purchase.newestToken, !token.isLegacyToken || context.rules.decodesLegacyTokens {
            if let holder = history.tokenHolders[token] {
                return holder == user || (holder.isErased && isProven) ? nil : .accountTokenMismatch
            }
            if token.isLegacyToken { return .accountTokenMismatch }
        }
        // An Apple account can always prove itself, but texts too old to name an account need no proof of it.
        let isProvable = user.isAppleAccount && purchase.states.contains { $0.account != nil }
        switch isProvable ? .proof : context.rules.unclaimed {
        case .any: return nil
        case .fresh24h:
            let isFresh = purchase.states.contains { state in
                state.isFresh(at: history.now) || state.madeBy.map(freshAccounts.contains) ?? false
            }
            return isFresh || isProven ? nil : .notClaimable
        case .proof: return isProven ? nil : .notClaimable
        }
    }

    /// Moves the purchase by the catalogue's policy (rule 2), if policy, limits and proof allow it. Returns true if it
    /// moves.
    private mutating func transfer(
        _ key: PurchaseKey, _ purchase: PurchaseHistory.KnownPurchase, from owner: UserID
    ) -> Bool {
        guard purchase.isProven(by: proof) else { return false }
        let timeline = timeline(of: owner)
        let instant = history.instantOfMove(from: owner, to: user)
        let run = purchase.newestRun.flatMap { run in
            !run.tokens.isEmpty && run.tokens.allSatisfy(isOwn) ? run.startsAt : nil
        }
        guard let index = timeline.position(ofHeld: key),
            timeline.maySurrender(index, at: instant, before: run, in: context)
        else { return false }
        let yearAgo = history.now + -ClaimRules.year
        let earlier = history.ledger(of: user).arrivalsByPolicy(after: yearAgo)
        let now = moves.values.count { $0.handover.cause == .policy }
        guard earlier + now < context.rules.transfersPerYear else { return false }
        moves[key] = Move(to: user, timeline.handover(of: index, at: instant, cause: .policy), at: instant)
        return true
    }

    /// True if an account token names the caller.
    private func isOwn(_ token: Label) -> Bool {
        (!token.isLegacyToken || context.rules.decodesLegacyTokens) && history.tokenHolders[token] == user
    }

    /// Moves everything that an erased person has to the user, who proved the same Apple account. Purchases of another
    /// Apple account stay. Returns true if the purchase of `key` moves.
    private mutating func reclaim(
        _ key: PurchaseKey, _ purchase: PurchaseHistory.KnownPurchase, from erased: UserID
    ) -> Bool {
        guard let proof, purchase.isProven(by: proof) else { return false }
        let others = history.ledger(of: erased).purchases { !proof.covers($0) }
        let timeline = timeline(of: erased)
        let instant = history.instantOfMove(from: erased, to: user)
        let going = timeline.purchases.indices.filter { index in
            let held = timeline.purchases[index]
            return held.isHeld && (held.key == key || !others.contains(held.key))
        }
        moves.merge(
            timeline.moves(of: going, to: user, at: instant, cause: .reclaim, note: nil, request: nil)
        ) { $1 }
        return moves[key] != nil
    }

    /// Returns the timeline of an owner, folded once for all claims. The reservations of an erased person are released
    /// in it, because nobody can commit them.
    private mutating func timeline(of owner: UserID) -> Timeline {
        if let known = timelines[owner] { return known }
        var ledger = history.ledger(of: owner)
        if owner.isErased {
            let instant = history.instantOfMove(from: owner, to: user)
            let drafts = ledger.openReservations(at: instant).map { id in
                LedgerEntry.Draft(.credit(.released(id)), at: instant)
            }
            ledger.append(drafts, at: history.now)
            releases[owner] = drafts
        }
        let timeline = Timeline(folding: ledger, given: context.fold.catalogue, settings: context.fold.settings)
        timelines[owner] = timeline
        return timeline
    }
}

extension PurchaseHistory.KnownPurchase {
    /// The account token of the newest state that carries one; nil if none does.
    var newestToken: Label? { states.newestToken }

    /// The start of a chain's newest run of periods without a gap, and the account tokens of the run; nil if it did not
    /// begin after a lapse. What was refunded when the next period began was no cover.
    fileprivate var newestRun: (startsAt: Instant, tokens: Set<Label>)? {
        let periods = Period.all(in: states.filter { $0.type == .plan }, withdrawal: .untouched)
        let first = periods.indices.dropFirst().last { index in
            let before = periods[index - 1]
            let untouched = before.share.untouchedParts(from: before.startsAt, to: before.expiresAt ?? before.startsAt)
            return untouched.last?.endsAt ?? before.startsAt < periods[index].startsAt
        }
        return first.map { (periods[$0].startsAt, Set(periods[$0...].flatMap(\.states).compactMap(\.accountToken))) }
    }

    /// True if `proof` is for the Apple account that made the purchase.
    fileprivate func isProven(by proof: AccountProof?) -> Bool {
        guard let proof else { return false }
        return states.contains { proof.covers($0) }
    }
}

extension VerifiedPurchase {
    /// True for a purchase of the last 24 hours. A restored copy of a period is dated at its restoring, and ends before
    /// it starts.
    fileprivate func isFresh(at instant: Instant) -> Bool {
        let isBought = isBought && expiresAt.map { purchasedAt < $0 } ?? false
        return instant - (isBought ? purchasedAt : originallyPurchasedAt) <= ClaimRules.freshness
    }

    /// The Apple account that made the purchase; nil if the text names none.
    fileprivate var madeBy: AccountProof? { account.map { AccountProof(of: $0, in: key.app, key.environment) } }
}

extension [VerifiedPurchase] {
    /// The account token of the newest state that carries one; nil if none does. A state without a token does not
    /// change the answer, so nobody evades the token's veto by sending an older text.
    fileprivate var newestToken: Label? {
        lazy.compactMap { state in state.accountToken.map { (signedAt: state.signedAt, token: $0) } }
            .max { ($0.signedAt, $0.token) < ($1.signedAt, $1.token) }?.token
    }
}

extension Timeline {
    /// True if the catalogue's policy lets the purchase at `index` go at `instant`, its units are untouched, and the
    /// cool-down since its last transfer is over.
    ///
    /// - Parameter run: The start of a run of periods that the caller bought after a lapse. Whether something was left
    ///   to the owner is asked for the instant before it.
    fileprivate func maySurrender(
        _ index: Int, at instant: Instant, before run: Instant?, in context: ClaimContext
    ) -> Bool {
        let purchase = purchases[index]
        guard let kind = purchase.kind, !isTouched(purchase.key, at: instant) else { return false }
        if let cameAt = purchase.tenures.last?.startsAt, instant - cameAt < context.rules.cooldown { return false }
        return switch catalogue.inForce(at: instant).catalogue.ownership[kind] {
        case .keep: false
        case .transfer: true
        case .transferIfInactive: isInactive(index, at: run.map { $0 + -1 } ?? instant, before: run ?? .distantFuture)
        }
    }
}

extension UserLedger {
    /// Returns the purchases with a state whose Apple account fulfils `isAnothers`. A state that names no account does
    /// not count.
    fileprivate func purchases(where isAnothers: (VerifiedPurchase) -> Bool) -> Set<PurchaseKey> {
        Set(
            entries.compactMap { entry in
                guard let state = entry.fact.state, state.account != nil, isAnothers(state) else {
                    return nil
                }
                return state.key
            })
    }
}

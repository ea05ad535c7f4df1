import Entitlements

/// Ledgers in memory as they grow by decisions: what the store does, without a store.
struct FakeLedgers {
    private(set) var ledgers: [UserID: UserLedger] = [:]
    private var owners: [PurchaseKey: UserID] = [:]

    subscript(user: UserID) -> UserLedger { ledgers[user] ?? UserLedger(user: user) }

    func history(at now: Instant) -> PurchaseHistory {
        let known = owners.mapValues { PurchaseHistory.KnownPurchase(owner: $0) }
        return PurchaseHistory(now: now, ledgers: ledgers, purchases: known, tokenHolders: [:])
    }

    /// Binds whatever comes first.
    mutating func attach(_ purchase: VerifiedPurchase, to user: UserID, at now: Instant) -> AttachOutcome {
        guard owners[purchase.key] != user else { return .alreadyAttached }
        owners[purchase.key] = user
        append(
            [
                .init(.evidence(purchase), at: purchase.purchasedAt),
                .init(.bound(purchase.key), at: purchase.purchasedAt),
            ], to: user, at: now)
        return .attached
    }

    /// Appends what a decision wants.
    mutating func apply<Reply, Refusal>(_ decision: Decision<Reply, Refusal>, at now: Instant) {
        for (key, move) in decision.moves.sorted(by: { $0.key < $1.key }) { apply(move, of: key, at: now) }
        for (user, drafts) in decision.drafts {
            append(drafts, to: user, at: now)
            for case .granted(let grant) in drafts.map(\.fact) { owners[grant.key] = user }
        }
    }

    /// Whether there was such a user.
    mutating func erase(_ user: UserID) -> Bool {
        ledgers.removeValue(forKey: user) != nil
    }

    mutating func append(_ drafts: [LedgerEntry.Draft], to user: UserID, at now: Instant) {
        ledgers[user, default: UserLedger(user: user)].append(drafts, at: now)
    }

    private mutating func apply(_ move: Move, of key: PurchaseKey, at now: Instant) {
        guard let giver = owners[key] else { return }
        let known = Set(self[move.receiver].entries.map(\.fact))
        let going = self[giver].entries.filter {
            $0.fact.purchase == key && $0.fact.goesWithPurchase && !known.contains($0.fact)
        }
        append(going.map { .init($0.fact, at: $0.effectiveAt, note: $0.note) }, to: move.receiver, at: now)
        append([.init(.gaveAway(key, move.handover), at: move.effectiveAt, note: move.note)], to: giver, at: now)
        append(
            [.init(.received(key, move.handover), at: move.effectiveAt, note: move.note)], to: move.receiver, at: now)
        owners[key] = move.receiver
    }
}

/// How a purchase stands for its owner: what an attach or a restore answers about it (`api.md`, "Attach").
package enum Standing: Hashable, Sendable {
    /// The purchase gives, gave or will give its benefit.
    case counts
    /// A pass that had run out, and not by a refund, before it was first attached (`semantics.md` §6).
    case endedBeforeAttached
    /// The states, or an operator, say that all of it was refunded or withdrawn.
    case revoked
    /// Genuine and bound, granting nothing.
    case recorded(Purchase.Obstacle)
}

extension Timeline {
    /// How `key` stands at `at`; nil for a purchase that the user does not have.
    ///
    /// A pass counts as ended before it was attached by its first binding, so repeats answer alike.
    package func standing(of key: PurchaseKey, at: Instant) -> Standing? {
        purchases.firstIndex { $0.key == key }.flatMap { standing(ofPurchaseAt: $0, at: at) }
    }

    /// The standing of each purchase that the user has.
    package func standings(at: Instant) -> [PurchaseKey: Standing] {
        purchases.indices.reduce(into: [:]) { $0[purchases[$1].key] = standing(ofPurchaseAt: $1, at: at) }
    }

    private func standing(ofPurchaseAt index: Int, at: Instant) -> Standing? {
        guard purchases[index].isHeld(at: at) else { return nil }
        if purchases[index].isRevoked(at: at) { return .revoked }
        if let obstacle = obstacle(to: purchases[index]) { return .recorded(obstacle) }
        return hadEnded(index, by: purchases[index].boundAt) ? .endedBeforeAttached : .counts
    }

    /// True if the pass at `index` had run for its whole paid length by `instant`, and nobody had it before this user.
    func hadEnded(_ index: Int, by instant: Instant) -> Bool {
        let purchase = purchases[index]
        guard case .pass(_, let length) = purchase.benefit, purchase.tenures.first?.arrival == nil else { return false }
        let runs = plannedByPurchase[index].lazy.map(\.segment)
        guard let endsAt = runs.last?.endsAt, endsAt <= instant else { return false }
        let ran = runs.reduce(Int64(0)) { $0 + ($1.endsAt - $1.startsAt) }
        // A refund cuts a pass short of what was paid for by the millisecond before.
        return ran == Pass.paidLength(of: length, refunded: purchase.share.share(at: endsAt + -1))
    }
}

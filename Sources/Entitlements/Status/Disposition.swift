/// The disposition of a purchase for its owner, which an attach or a restore answers (`api.md`, "Attach").
package enum Disposition: Hashable, Sendable {
    /// The purchase gives, gave or will give its benefit.
    case counts
    /// The pass had run out before it was first attached, and not because of a refund (`semantics.md` §6).
    case endedBeforeAttached
    /// All of the purchase is refunded or withdrawn.
    case revoked
    /// The purchase is genuine and bound, but gives nothing.
    case recorded(Purchase.Obstacle)
}

extension Timeline {
    /// Returns the disposition of the purchase at `at`; nil if the user does not have it then.
    ///
    /// A pass has ended before it was attached if it had run out by its first binding. So a repeated attach gets the
    /// same answer.
    package func disposition(of key: PurchaseKey, at: Instant) -> Disposition? {
        purchases.firstIndex { $0.key == key }.flatMap { disposition(ofPurchaseAt: $0, at: at) }
    }

    /// Returns the disposition of the part of a purchase that `state` shows: of a chain that counts, a period that
    /// gives nothing is only recorded.
    package func disposition(of state: VerifiedPurchase, at: Instant) -> Disposition? {
        guard let index = purchases.firstIndex(where: { $0.key == state.key }) else { return nil }
        let whole = disposition(ofPurchaseAt: index, at: at)
        guard whole == .counts, let obstacle = purchases[index].obstacles[PeriodID(of: state)] else { return whole }
        return .recorded(obstacle)
    }

    /// Returns the disposition of each purchase that the user has at `at`.
    package func dispositions(at: Instant) -> [PurchaseKey: Disposition] {
        purchases.indices.reduce(into: [:]) { $0[purchases[$1].key] = disposition(ofPurchaseAt: $1, at: at) }
    }

    private func disposition(ofPurchaseAt index: Int, at: Instant) -> Disposition? {
        guard purchases[index].isHeld(at: at) else { return nil }
        if purchases[index].isRevoked(at: at) { return .revoked }
        if let obstacle = obstacle(to: purchases[index]) { return .recorded(obstacle) }
        return hadEnded(index, by: purchases[index].boundAt) ? .endedBeforeAttached : .counts
    }

    /// True if the pass at `index` had run its whole paid length by `instant`, and nobody had it before this user.
    func hadEnded(_ index: Int, by instant: Instant) -> Bool {
        let purchase = purchases[index]
        guard case .pass(_, let length) = purchase.benefit, purchase.tenures.first?.arrival == nil else { return false }
        let runs = plannedByPurchase[index].lazy.map(\.segment)
        guard let endsAt = runs.last?.endsAt, endsAt <= instant else { return false }
        let ran = runs.reduce(Int64(0)) { $0 + ($1.endsAt - $1.startsAt) }
        // The share just before the end gives the length that the pass should run. A pass that a refund cut short at
        // its end has run less than that.
        return ran == Pass.paidLength(of: length, refunded: purchase.share.share(at: endsAt + -1))
    }
}

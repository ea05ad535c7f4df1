extension Moment {
    /// The state of a purchase now; if it gives nothing, also the reason.
    struct Doing {
        let state: Entitlement.State
        let reason: Explanation.Reason?

        init(_ state: Entitlement.State, _ reason: Explanation.Reason? = nil) {
            self.state = state
            self.reason = reason
        }
    }

    /// An entitlement for each purchase, by anchor and then by id.
    var entitlements: [Entitlement] { timeline.purchases.indices.map(entitlement) }

    /// Returns the entitlement of the purchase at `index`.
    func entitlement(_ index: Int) -> Entitlement {
        let purchase = timeline.purchases[index]
        let stretches = Interval.stretches(of: gives(index))
        let present = stretches.first { $0.endsAt.map { at < $0 } ?? true } ?? stretches.last
        return Entitlement(
            key: purchase.key, productID: product(index),
            storeProductID: presentPeriods[index]?.storeProductID ?? purchase.storeProductID,
            planID: presentPeriods[index]?.planID, kind: purchase.kind, quantity: purchase.quantity, tier: tier(index),
            state: doings[index].state,
            startsAt: present?.startsAt, endsAt: present?.endsAt, length: purchase.benefit.length,
            willRenew: willRenew(index), plan: planDetails(index))
    }

    /// Returns the explanation of the purchase at `index`.
    func explanation(_ index: Int) -> Explanation {
        let purchase = timeline.purchases[index]
        return Explanation(
            key: purchase.key, productID: purchase.productID, facts: purchase.facts, gives: given(index),
            reason: doings[index].reason)
    }

    /// An explanation for each purchase, in the order of recording.
    var explanation: [Explanation] {
        timeline.purchases.indices.map(explanation).sorted { left, right in
            let first = left.facts.first?.recordedAt ?? .distantPast
            let second = right.facts.first?.recordedAt ?? .distantPast
            return first != second ? first < second : left.key < right.key
        }
    }

    /// Returns the intervals in which the purchase gives something. An add-on gives only while there is coverage of the
    /// tier that it requires.
    private func given(_ index: Int) -> [Interval] {
        guard case .addOn(_, let requires?, _) = timeline.purchases[index].benefit else { return gives(index) }
        let coverage = coverage(asRequired: requires)
        return gives(index).flatMap { owned in coverage.compactMap { owned.part(within: $0) } }
    }

    /// Returns the intervals in which the purchase gives something, past and planned, without regard to the tier that
    /// an add-on requires. Empty for a purchase that is only recorded.
    func gives(_ index: Int) -> [Interval] {
        let purchase = timeline.purchases[index]
        guard timeline.obstacle(to: purchase) == nil else { return [] }
        switch purchase.benefit {
        case .recorded: return []
        case .pass, .plan:
            return pieces[index].map(\.segment.interval)
        case .addOn: return purchase.held(purchase.share.untouchedParts(from: purchase.anchor, to: nil))
        case .credits(let lot):
            return purchase.held(purchase.share.notFullyRefundedParts(from: purchase.anchor, to: lot.expiresAt))
        }
    }

    func doing(_ index: Int) -> Doing {
        let purchase = timeline.purchases[index]
        if purchase.isGone(at: at) { return Doing(.finished, .transferred) }
        if let obstacle = timeline.obstacle(to: purchase) { return Doing(.recorded, obstacle.reason) }
        guard purchase.isHeld(at: at) else { return Doing(.queued, .queuedBehind) }
        switch purchase.benefit {
        case .recorded(let obstacle): return Doing(.recorded, obstacle.reason)
        case .pass(let tier, let length): return pass(purchase, of: tier, length, index)
        case .plan(let windows): return plan(windows, index)
        case .addOn(_, let requires, _): return addOn(purchase, requires)
        case .credits(let lot):
            guard purchase.anchor <= at else { return Doing(.queued, .queuedBehind) }
            guard !purchase.isRevoked(at: at) else { return Doing(.revoked, .revoked) }
            return lot.expiresAt.map { $0 <= at } ?? false ? Doing(.finished, .finished) : Doing(.running)
        }
    }

    private func pass(_ purchase: Purchase, of tier: Tier, _ length: Int64, _ index: Int) -> Doing {
        guard !pieces[index].contains(where: { $0.covers(at) }) else { return Doing(.running) }
        let (before, here) = timeline.ran(index, by: at)
        let ran = before + here
        let share = purchase.share.share(at: at)
        let ranWhole = ran >= length && ran > 0
        guard share < Revocation.fullShare else {
            return Doing(.revoked, ranWhole ? .refundedAfterUse : .revoked)
        }
        guard ran >= Pass.paidLength(of: length, refunded: share) else {
            guard here > 0 else { return Doing(.queued, .queuedBehind) }
            return Doing(
                .paused, isAnotherRunning(of: tier, in: purchase.key.environment) ? .queuedBehind : .pausedUnder)
        }
        if ranWhole, share > 0 { return Doing(.finished, .refundedAfterUse) }
        return Doing(.finished, timeline.hadEnded(index, by: purchase.boundAt) ? .endedBeforeAttached : .finished)
    }

    /// True if a pass of this tier runs now.
    private func isAnotherRunning(of tier: Tier, in environment: StoreEnvironment) -> Bool {
        covering.contains { piece in
            piece.window == nil && piece.segment.lane == tier.lane && piece.segment.tierRank == tier.rank
                && piece.segment.key.environment == environment
        }
    }

    private func plan(_ windows: [Window], _ index: Int) -> Doing {
        if let piece = pieces[index].first(where: { $0.covers(at) }) { return Doing(piece.isGrace ? .grace : .running) }
        guard let window = newestBegun(of: windows) else { return Doing(.queued, .queuedBehind) }
        if window.revocations.share(at: at) > 0 { return Doing(.revoked, .revoked) }
        if window.isSuspended(at: at) { return Doing(.suspended) }
        if window.isInRetry(at: at) { return Doing(.billingRetry, .finished) }
        return Doing(.finished, window.isSuperseded ? .superseded : .finished)
    }

    private func addOn(_ purchase: Purchase, _ requires: TierID?) -> Doing {
        switch addOnState(of: purchase, requires) {
        case .active: Doing(.running)
        case .suspended: Doing(.suspended, .requiresTier)
        case .revoked: Doing(.revoked, .revoked)
        case nil: Doing(.queued, .queuedBehind)
        }
    }
}

extension Purchase {
    /// True if everything that the purchase gives is refunded or withdrawn at `instant`.
    func isRevoked(at instant: Instant) -> Bool { share.share(at: instant) == Revocation.fullShare }
}

extension Purchase.Obstacle {
    /// The obstacle as the reason of an explanation.
    package var reason: Explanation.Reason {
        switch self {
        case .quarantined: .quarantined
        case .unknownProduct: .unknownProduct
        case .productTypeMismatch: .productTypeMismatch
        case .familyShared: .familyShared
        case .sandboxNotAllowed: .sandboxNotAllowed
        }
    }
}

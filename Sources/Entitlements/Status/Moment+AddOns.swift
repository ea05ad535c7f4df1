extension Moment {
    /// The add-ons that the user has, by product. Of several purchases of one product the one in the best state is
    /// shown.
    var addOns: [AddOn] {
        var best: [ProductID: AddOn] = [:]
        for purchase in timeline.purchases {
            guard case .addOn(let features, let requires, _) = purchase.benefit, let productID = purchase.productID,
                let state = addOnState(of: purchase, requires)
            else { continue }
            let addOn = AddOn(productID: productID, features: features, state: state)
            guard let known = best[addOn.productID], known.state.isBetter(than: state) else {
                best[addOn.productID] = addOn
                continue
            }
        }
        return best.values.sorted { $0.productID < $1.productID }
    }

    /// Returns the state of an add-on; nil if the user does not have it now, or it does not count.
    func addOnState(of purchase: Purchase, _ requires: TierID?) -> AddOn.State? {
        guard timeline.obstacle(to: purchase) == nil, purchase.anchor <= at, purchase.isHeld(at: at) else { return nil }
        guard purchase.share.share(at: at) == 0 else { return .revoked }
        return isCovered(asRequired: requires) ? .active : .suspended
    }

    /// Returns the intervals in which there is coverage of at least the rank of the required tier; intervals that touch
    /// are merged.
    func coverage(asRequired requires: TierID) -> [Interval] {
        guard let rank = timeline.catalogue.tier(requires)?.rank else { return [] }
        return Interval.stretches(of: coverage.lazy.map(\.segment).filter { $0.tierRank >= rank }.map(\.interval))
    }

    /// True if there is coverage now of at least the rank of the required tier (`semantics.md` §3).
    private func isCovered(asRequired requires: TierID?) -> Bool {
        guard let requires else { return true }
        guard let rank = timeline.catalogue.tier(requires)?.rank, let top else { return false }
        return top.segment.tierRank >= rank
    }
}

extension AddOn.State {
    fileprivate func isBetter(than other: AddOn.State) -> Bool { order < other.order }

    private var order: Int {
        switch self {
        case .active: 0
        case .suspended: 1
        case .revoked: 2
        }
    }
}

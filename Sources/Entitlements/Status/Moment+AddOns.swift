extension Moment {
    /// The add-ons that the user owns by now, each product once at its best, by product.
    var addOns: [AddOn] {
        var best: [ProductID: AddOn] = [:]
        for purchase in timeline.purchases {
            guard case .addOn(let features, let requires, _) = purchase.worth,
                let state = addOnState(of: purchase, requires)
            else { continue }
            let addOn = AddOn(productID: purchase.productID, features: features, state: state)
            guard let known = best[addOn.productID], known.state.isBetter(than: state) else {
                best[addOn.productID] = addOn
                continue
            }
        }
        return best.values.sorted { $0.productID < $1.productID }
    }

    /// Each purchase counts, so a seat bought twice is two seats.
    var seatsOfActiveAddOns: Int {
        timeline.purchases.reduce(0) { seats, purchase in
            guard case .addOn(_, let requires, let own) = purchase.worth, addOnState(of: purchase, requires) == .active
            else { return seats }
            return seats + own
        }
    }

    /// Nil before it was bought, and when it does not count for this user.
    func addOnState(of purchase: Purchase, _ requires: TierID?) -> AddOn.State? {
        guard timeline.obstacle(to: purchase) == nil, purchase.anchor <= at else { return nil }
        guard purchase.share.share(at: at) == 0 else { return .revoked }
        return isCovered(asRequired: requires) ? .active : .suspended
    }

    /// Whether coverage of at least the required rank is there (`semantics.md` §3).
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

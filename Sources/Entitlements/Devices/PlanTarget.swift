/// The plan or pass to which a user may change, as the app names it.
package enum PlanTarget: Hashable, Sendable {
    /// A plan id such as `monthly_1`. It names its seats even if no product of the catalogue has it.
    case planID(String)
    case product(ProductID)
}

extension PlanTarget {
    /// Returns the coverage that the target would bring; nil if the catalogue in force has no such plan or pass. A plan
    /// id that no product has gets the rank of the coverage that it replaces.
    func giver(among sources: SeatSources, replacing replaced: SeatSources.Giver?) -> SeatSources.Giver? {
        switch self {
        case .product(let id):
            return sources.catalogue.products.lazy.filter { $0.id == id }.compactMap { sources.giver($0) }.first
        case .planID(let text):
            if let sold = sources.catalogue.products.lazy.filter({ $0.terms.planID == text })
                .compactMap({ sources.giver($0) }).first
            {
                return sold
            }
            guard let plan = PlanID(text) else { return nil }
            return SeatSources.Giver(tier: nil, rank: replaced?.rank ?? .min, seats: plan.seats)
        }
    }
}

extension SeatSources {
    /// Returns the coverage that a purchase of `product` would bring; nil for a product without a tier.
    fileprivate func giver(_ product: Product) -> Giver? {
        guard let tier = product.terms.tier, let rank = versions.tier(tier)?.rank else { return nil }
        return Giver(tier: tier, rank: rank, seats: product.seats)
    }
}

/// The plan or pass that a user thinks of changing to, as the app names it.
package enum PlanTarget: Hashable, Sendable {
    /// A plan id such as `monthly_1`, which says its seats even where no product of the catalogue sells it.
    case planID(String)
    case product(ProductID)
}

extension PlanTarget {
    /// The coverage that the target would bring among `sources`; nil when the catalogue in force has no such plan or
    /// pass. A plan that nothing sells is taken to be of the rank of the coverage that it replaces.
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
    /// The coverage that a purchase of `product` would bring; nil for a product without a tier.
    fileprivate func giver(_ product: Product) -> Giver? {
        guard let tier = product.terms.tier, let rank = versions.tier(tier)?.rank else { return nil }
        return Giver(tier: tier, rank: rank, seats: product.seats)
    }
}

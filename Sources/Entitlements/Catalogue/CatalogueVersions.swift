/// All versions of the catalogue, oldest first; there is always at least one.
///
/// A purchase has the terms of the version in force at the purchase date, else of the earliest version that knows the
/// product. So an edit never changes what somebody bought, and the order of arrival does not matter (`semantics.md`
/// §1).
package struct CatalogueVersions: Sendable {
    /// A version of the catalogue and the instant from which it is in force.
    package struct Version: Sendable {
        package let number: Int
        package let effectiveAt: Instant
        package let catalogue: Catalogue

        package init(number: Int, effectiveAt: Instant, catalogue: Catalogue) {
            self.number = number
            self.effectiveAt = effectiveAt
            self.catalogue = catalogue
        }
    }

    package let versions: [Version]
    private let productsByVersion: [[ProductKey: Product]]
    private let newestTiers: [TierID: Tier]
    private let newestLanes: [LaneID: Lane]

    /// The key by which a product is found: an id counts only for its app and source.
    private struct ProductKey: Hashable {
        let id: ProductID
        let source: Source
        let app: AppID
    }

    /// Makes the list of `first` and the `later` versions, which must be in ascending order of `effectiveAt`.
    package init(first: Version, later: [Version] = []) {
        versions = [first] + later
        productsByVersion = versions.map { version in
            Dictionary(
                version.catalogue.products.flatMap { product in
                    ([ProductKey(id: product.id, source: product.source, app: product.app)]
                        + product.allCardNames.map { ProductKey(id: $0, source: .stripe, app: .cards) })
                        .map { ($0, product) }
                }, uniquingKeysWith: { kept, _ in kept })
        }
        var tiers: [TierID: Tier] = [:]
        var lanes: [LaneID: Lane] = [:]
        for version in versions {
            for tier in version.catalogue.tiers { tiers[tier.id] = tier }
            for lane in version.catalogue.lanes { lanes[lane.id] = lane }
        }
        newestTiers = tiers
        newestLanes = lanes
    }

    /// The newest version.
    package var latest: Version { versions[versions.count - 1] }

    /// Returns the version in force at `instant`; before the first version, the first.
    package func inForce(at instant: Instant) -> Version {
        versions.last { $0.effectiveAt <= instant } ?? versions[0]
    }

    /// Returns the product of a purchase that was made at `purchasedAt`; nil if no version knows it. The first of
    /// `names` that a version knows counts. The version in force is asked first, then the others from the earliest on.
    package func product(
        named names: [ProductID], from source: Source, for app: AppID, purchasedAt: Instant
    ) -> Product? {
        let inForce = versions.lastIndex { $0.effectiveAt <= purchasedAt } ?? 0
        return product(named: names, from: source, for: app, in: productsByVersion[inForce])
            ?? products(named: names, from: source, for: app).first
    }

    /// Returns the product in each version that knows it, the earliest version first.
    package func products(named names: [ProductID], from source: Source, for app: AppID) -> [Product] {
        productsByVersion.compactMap { product(named: names, from: source, for: app, in: $0) }
    }

    private func product(
        named names: [ProductID], from source: Source, for app: AppID, in products: [ProductKey: Product]
    ) -> Product? {
        names.lazy.compactMap { products[ProductKey(id: $0, source: source, app: app)] }.first
    }

    /// Returns the tier, taken from the newest version that names it; nil if none does. Its rank and lane hold for any
    /// instant, because `CatalogueCheck` refuses versions that move a tier or reorder ranks.
    package func tier(_ id: TierID) -> Tier? { newestTiers[id] }

    /// Returns the lane, taken from the newest version that names it; if none does, a lane with the default behaviour.
    package func lane(_ id: LaneID) -> Lane { newestLanes[id] ?? Lane(id: id) }
}

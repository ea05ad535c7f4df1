/// All catalogue versions, oldest first; never empty.
///
/// Terms are those of the version in force at the purchase date, else of the earliest version that knows the product,
/// so an edit never changes what somebody bought and arrival order does not matter (`semantics.md` §1).
package struct CatalogueVersions: Sendable {
    /// A catalogue and since when it is in force.
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

    /// A product id counts only for its app and source.
    private struct ProductKey: Hashable {
        let id: ProductID
        let source: Source
        let app: AppID
    }

    /// `first` and then the `later` ones, in ascending order of `effectiveAt`.
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

    /// The version in force at `instant`; the first one for any instant before it.
    package func inForce(at instant: Instant) -> Version {
        versions.last { $0.effectiveAt <= instant } ?? versions[0]
    }

    /// The product of a purchase made at `purchasedAt`, by the first of its `names` that the version in force knows,
    /// else from the earliest version that knows any; nil while none does.
    package func product(
        named names: [ProductID], from source: Source, for app: AppID, purchasedAt: Instant
    ) -> Product? {
        let inForce = versions.lastIndex { $0.effectiveAt <= purchasedAt } ?? 0
        return product(named: names, from: source, for: app, in: productsByVersion[inForce])
            ?? products(named: names, from: source, for: app).first
    }

    /// The product in each version that knows it, the earliest version first.
    package func products(named names: [ProductID], from source: Source, for app: AppID) -> [Product] {
        productsByVersion.compactMap { product(named: names, from: source, for: app, in: $0) }
    }

    private func product(
        named names: [ProductID], from source: Source, for app: AppID, in products: [ProductKey: Product]
    ) -> Product? {
        names.lazy.compactMap { products[ProductKey(id: $0, source: source, app: app)] }.first
    }

    /// The tier as the newest version that names it has it: ranks and lanes are never reordered, so this is a tier's
    /// rank at any instant.
    package func tier(_ id: TierID) -> Tier? { newestTiers[id] }

    /// The lane in the newest version that names it.
    package func lane(_ id: LaneID) -> Lane { newestLanes[id] ?? Lane(id: id) }
}

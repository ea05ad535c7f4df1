/// The difference between two versions of the catalogue: what a later one adds, changes and removes.
package struct CatalogueDifference: Hashable, Sendable {
    /// A product or a tier that differs.
    package struct Change: Hashable, Sendable {
        /// The way in which it differs.
        package enum Kind: Hashable, Sendable {
            case added
            case changed
            case removed
        }

        package let kind: Kind
        /// The id of the product or tier.
        package let id: String
        /// The product's app; nil for a tier.
        package let app: AppID?
    }

    package let products: [Change]
    package let tiers: [Change]
    /// True if something else differs: apps, lanes, ownership or the default tier.
    package let hasFurther: Bool

    package var isEmpty: Bool { products.isEmpty && tiers.isEmpty && !hasFurther }

    package init(from earlier: Catalogue, to later: Catalogue) {
        products = Self.changes(
            earlier.products, later.products, key: { "\($0.app.text) \($0.source.text) \($0.id.text)" },
            id: \.id.text, app: \.app)
        tiers = Self.changes(earlier.tiers, later.tiers, key: \.id.text, id: \.id.text, app: { _ in nil })
        hasFurther =
            earlier.apps != later.apps || earlier.defaultTier != later.defaultTier || earlier.lanes != later.lanes
            || earlier.ownership != later.ownership
    }

    /// The changes in the order of the later list; what was removed comes last.
    private static func changes<Thing: Hashable>(
        _ earlier: [Thing], _ later: [Thing], key: (Thing) -> String, id: (Thing) -> String, app: (Thing) -> AppID?
    ) -> [Change] {
        let before = Dictionary(earlier.map { (key($0), $0) }, uniquingKeysWith: { first, _ in first })
        let after = Set(later.map(key))
        let present = later.compactMap { thing -> Change? in
            guard let old = before[key(thing)] else { return Change(kind: .added, id: id(thing), app: app(thing)) }
            return old == thing ? nil : Change(kind: .changed, id: id(thing), app: app(thing))
        }
        let gone = earlier.filter { !after.contains(key($0)) }
        return present + gone.map { Change(kind: .removed, id: id($0), app: app($0)) }
    }
}

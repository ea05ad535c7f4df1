import Entitlements

extension ProductID {
    static let pro30: ProductID = "pro.30"
    static let basic30: ProductID = "basic.30"
    static let xyz: ProductID = "addon.xyz"
    static let proOnly: ProductID = "addon.pro"
    static let seats: ProductID = "addon.seats"
    static let credits100: ProductID = "credits.100"
    static let credits1: ProductID = "credits.1"
    static let proMonthly: ProductID = "pro.monthly"
    static let basicMonthly: ProductID = "basic.monthly"
    static let annual3: ProductID = "annual.3"
    static let eyes30: ProductID = "eyes.30"
}

extension ProductID: ExpressibleByStringLiteral {
    package init(stringLiteral text: String) { self.init(text) }
}

extension AppID {
    static let vpn = AppID("com.airport.vpn")
}

extension TierID: ExpressibleByStringLiteral {
    package init(stringLiteral text: String) { self.init(text) }
}

extension LaneID: ExpressibleByStringLiteral {
    package init(stringLiteral text: String) { self.init(text) }
}

extension Feature: ExpressibleByStringLiteral {
    package init(stringLiteral text: String) { self.init(text) }
}

extension Catalogue {
    /// Ranks free 0, basic 1, pro 2 in `main`; `eyes`, of pro's rank, in a lane of its own.
    static func example(
        defaultTier: TierID? = "free", pausing: Bool = false, adding products: [Product] = [],
        without removed: Set<ProductID> = [], ownership: OwnershipPolicies = OwnershipPolicies()
    ) -> Catalogue {
        let known: [Product] = [
            Product(id: .pro30, app: .vpn, terms: .pass(tier: "pro", days: 30)),
            Product(id: .basic30, app: .vpn, terms: .pass(tier: "basic", days: 30)),
            Product(id: .eyes30, app: .vpn, terms: .pass(tier: "eyes", days: 30)),
            Product(
                id: .xyz, app: .vpn, terms: .addOn(features: ["xyz"], requires: nil, seats: 0, familyShareable: true)),
            Product(
                id: .proOnly, app: .vpn,
                terms: .addOn(features: ["extra"], requires: "pro", seats: 0, familyShareable: false)),
            Product(
                id: .seats, app: .vpn, terms: .addOn(features: [], requires: nil, seats: 2, familyShareable: false)),
            Product(
                id: .credits100, app: .vpn, terms: .consumable(unit: "credit", amount: 100, onShortfall: .debt)),
            Product(id: .credits1, app: .vpn, terms: .consumable(unit: "token", amount: 1, onShortfall: .debt)),
            Product(
                id: .proMonthly, app: .vpn, terms: .plan(tier: "pro", planID: "monthly_2", familyShareable: false)),
            Product(
                id: .basicMonthly, app: .vpn, terms: .plan(tier: "basic", planID: nil, familyShareable: true)),
            Product(
                id: .proMonthly, source: .stripe, app: .vpn,
                terms: .plan(tier: "pro", planID: "monthly_2", familyShareable: false)),
            Product(id: .annual3, app: .vpn, terms: .plan(tier: "basic", planID: "annual_3", familyShareable: false)),
        ]
        return Catalogue(
            apps: [App(id: .vpn)], defaultTier: defaultTier,
            lanes: [Lane(id: .main, underHigherWindow: pausing ? .pause : .run), Lane(id: "art")],
            tiers: [
                Tier(id: "free", rank: 0, limits: ["trips": 1]),
                Tier(id: "basic", rank: 1, features: ["standard"], limits: ["trips": 10], devices: 1),
                Tier(id: "pro", rank: 2, features: ["standard", "premium"], limits: ["trips": 1000], devices: 5),
                Tier(id: "eyes", lane: "art", rank: 2, features: ["eyes"], limits: ["trips": 5, "views": 7]),
            ],
            ownership: ownership, products: known.filter { !removed.contains($0.id) } + products)
    }
}

extension CatalogueVersions {
    static let example = CatalogueVersions(.example())
    static let pausing = CatalogueVersions(.example(pausing: true))

    /// One version, in force since ever.
    init(_ catalogue: Catalogue) {
        self.init(first: Version(number: 1, effectiveAt: .distantPast, catalogue: catalogue))
    }
}

import Entitlements
import Testing

/// Every mistake of a catalogue is found, with its place and what to write instead.
@Suite struct CatalogueCheckTests {
    private func check(
        _ catalogue: Catalogue, following previous: Catalogue? = nil, finds locations: String...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let defects = CatalogueCheck.defects(in: catalogue, following: previous)
        #expect(defects.map(\.location) == locations, sourceLocation: sourceLocation)
        #expect(defects.allSatisfy { !$0.problem.isEmpty && !$0.remedy.isEmpty }, sourceLocation: sourceLocation)
    }

    private func catalogue(
        apps: [Catalogue.App] = [.init(id: .vpn, appleID: 1)], defaultTier: TierID? = nil,
        lanes: [Lane] = [Lane(id: .main)], tiers: [Tier] = [Tier(id: "pro", rank: 2)], products: [Product] = []
    ) -> Catalogue {
        Catalogue(apps: apps, defaultTier: defaultTier, lanes: lanes, tiers: tiers, products: products)
    }

    private func product(
        _ id: ProductID = "p", _ terms: Terms = .pass(tier: "pro", days: 30), price: Product.Price? = nil
    )
        -> Product
    {
        Product(id: id, app: .vpn, terms: terms, price: price)
    }

    @Test func `the example catalogue has no defect`() {
        check(.example())
        check(.example(), following: .example())
    }

    @Test func `apps are named once`() {
        check(catalogue(apps: []), finds: "apps")
        check(catalogue(apps: [.init(id: .vpn), .init(id: .vpn)]), finds: "apps[1].bundle_id")
        check(
            catalogue(apps: [.init(id: .vpn, appleID: 7), .init(id: AppID("b"), appleID: 7)]),
            finds: "apps[1].app_apple_id")
        check(catalogue(apps: [.init(id: AppID("com.\u{E9}"))]), finds: "apps[0].bundle_id")
    }

    @Test func `lanes are named once`() {
        check(catalogue(lanes: [Lane(id: .main), Lane(id: .main)]), finds: "lanes[1].id")
        check(catalogue(lanes: [Lane(id: .main), Lane(id: "a b")]), finds: "lanes[1].id")
        check(catalogue(lanes: []), finds: "tiers[0].lane")
    }

    @Test func `tiers are named once and stand in a lane`() {
        check(catalogue(tiers: [Tier(id: "a", rank: 1), Tier(id: "a", rank: 2)]), finds: "tiers[1].id")
        check(catalogue(tiers: [Tier(id: "a", rank: 1, devices: 1), Tier(id: "a", rank: 1)]), finds: "tiers[1].id")
        check(catalogue(tiers: [Tier(id: "a", lane: "art", rank: 1)]), finds: "tiers[0].lane")
        check(catalogue(tiers: [Tier(id: "", rank: 1)]), finds: "tiers[0].id")
        check(catalogue(defaultTier: "free"), finds: "default_tier")
    }

    @Test func `card billing sells one product under a name`() {
        func sold(_ id: ProductID, _ names: ProductID..., source: Source = .appleIAP) -> Product {
            Product(id: id, source: source, app: .vpn, terms: .pass(tier: "pro", days: 30), cardNames: names)
        }
        check(catalogue(products: [sold("p", "price"), sold("q", "link")]))
        check(catalogue(products: [sold("p", "price"), sold("q", "price")]), finds: "products[1].stripe")
        check(catalogue(products: [sold("p", "q"), sold("q", source: .stripe)]), finds: "products[1].stripe")
        check(catalogue(products: [sold("p", "a b")]), finds: "products[0].stripe")
    }

    @Test func `what a tier gives is in range`() {
        check(catalogue(tiers: [Tier(id: "a", rank: 1, features: ["ok", ""])]), finds: "tiers[0].features[1]")
        check(catalogue(tiers: [Tier(id: "a", rank: 1, limits: ["trips": -1])]), finds: "tiers[0].limits.trips")
        check(catalogue(tiers: [Tier(id: "a", rank: 1, devices: -1)]), finds: "tiers[0].devices")
    }

    @Test func `ranks of a lane are distinct`() {
        let equal = [Tier(id: "a", rank: 1), Tier(id: "b", rank: 1)]
        check(catalogue(tiers: equal), finds: "tiers[1].rank")
        check(
            catalogue(
                lanes: [Lane(id: .main), Lane(id: "art")], tiers: [equal[0], Tier(id: "b", lane: "art", rank: 1)]))
    }

    @Test func `a higher tier has all that a lower one has`() {
        let endless = Tier(id: "endless", rank: 1, limits: ["trips": Tier.unlimited])
        check(
            catalogue(tiers: [endless, Tier(id: "high", rank: 2, limits: ["trips": 1000])]),
            finds: "tiers[1].limits.trips")
        check(catalogue(tiers: [endless, Tier(id: "high", rank: 2, limits: ["trips": Tier.unlimited])]))
        let low = Tier(id: "low", rank: 1, features: ["x"], limits: ["trips": 10, "views": 1], devices: 2)
        check(
            catalogue(tiers: [Tier(id: "high", rank: 2, limits: ["trips": 9], devices: 1), low]),
            finds: "tiers[0].features", "tiers[0].limits.trips", "tiers[0].limits.views", "tiers[0].devices")
        check(
            catalogue(tiers: [
                low, Tier(id: "high", rank: 2, features: ["x", "y"], limits: ["trips": 10, "views": 2], devices: 2),
            ]))
        check(
            catalogue(tiers: [Tier(id: "low", rank: 1, devices: 1), Tier(id: "high", rank: 2)]),
            finds: "tiers[1].devices")
    }

    @Test func `products are named once for their app and source`() {
        check(catalogue(products: [product(), product()]), finds: "products[1].id")
        check(
            catalogue(products: [
                product(), Product(id: "p", source: .stripe, app: .vpn, terms: .pass(tier: "pro", days: 1)),
            ]))
        check(
            catalogue(products: [Product(id: "p", app: AppID("other"), terms: .pass(tier: "pro", days: 1))]),
            finds: "products[0].app")
        check(catalogue(products: [product(ProductID(String(repeating: "a", count: 255)))]))
        check(catalogue(products: [product(ProductID(String(repeating: "a", count: 256)))]), finds: "products[0].id")
        check(catalogue(products: [product("tab\t")]), finds: "products[0].id")
    }

    @Test(arguments: [
        (Terms.pass(tier: "gone", days: 1), "products[0].tier"),
        (.pass(tier: "pro", days: 0), "products[0].duration"),
        (.pass(tier: "pro", days: -1), "products[0].duration"),
        (.pass(tier: "pro", days: 36_501), "products[0].duration"),
        (.plan(tier: "gone", planID: nil, familyShareable: false), "products[0].tier"),
        (.plan(tier: "pro", planID: "", familyShareable: false), "products[0].plan_id"),
        (.consumable(unit: "", amount: 1, onShortfall: .debt), "products[0].unit"),
        (.consumable(unit: "c", amount: 0, onShortfall: .debt), "products[0].amount"),
        (.consumable(unit: "c", amount: 1_000_000_001, onShortfall: .debt), "products[0].amount"),
        (.addOn(features: [], requires: "gone", seats: 0, familyShareable: false), "products[0].requires.tier"),
        (.addOn(features: [""], requires: nil, seats: 0, familyShareable: false), "products[0].features[0]"),
        (.addOn(features: [], requires: nil, seats: -1, familyShareable: false), "products[0].seats"),
    ])
    func `terms that cannot be meant are found`(terms: Terms, location: String) {
        check(catalogue(products: [product("p", terms)]), finds: location)
    }

    @Test(arguments: [
        Terms.pass(tier: "pro", days: 1), .pass(tier: "pro", days: 36_500),
        .plan(tier: "pro", planID: "p", familyShareable: true),
        .consumable(unit: "c", amount: 1, onShortfall: .debt),
        .consumable(unit: "c", amount: 1_000_000_000, onShortfall: .writeOff),
        .addOn(features: [], requires: "pro", seats: 10_000, familyShareable: false),
    ])
    func `terms at the ends of their ranges have no defect`(terms: Terms) {
        check(catalogue(products: [product("p", terms)]))
    }

    @Test(arguments: ["0", "4", "4.99", "0.5", "12.000"])
    func `a decimal number with or without a fraction is an amount`(amount: String) {
        check(catalogue(products: [product(price: Product.Price(amount: amount, currency: "USD"))]))
    }

    @Test(arguments: ["", "4,99", "4.", ".99", "-1", "4.9.9", "1e3", "+1"])
    func `an amount is a decimal number`(amount: String) {
        check(
            catalogue(products: [product(price: Product.Price(amount: amount, currency: "USD"))]),
            finds: "products[0].price.amount")
    }

    @Test(arguments: ["", "usd", "US", "USDX", "U$D"])
    func `a currency is three capital letters`(currency: String) {
        check(
            catalogue(products: [product(price: Product.Price(amount: "4", currency: currency))]),
            finds: "products[0].price.currency")
    }

    @Test func `the order of ranks never changes`() {
        let before = catalogue(tiers: [Tier(id: "a", rank: 1), Tier(id: "b", rank: 2)])
        check(
            catalogue(tiers: [Tier(id: "a", rank: 3), Tier(id: "b", rank: 2)]), following: before,
            finds: "tiers[1].rank")
        check(catalogue(tiers: [Tier(id: "a", rank: 10), Tier(id: "b", rank: 20)]), following: before)
        check(catalogue(tiers: [Tier(id: "b", rank: 2), Tier(id: "c", rank: 1)]), following: before)
    }

    @Test func `a tier never moves to another lane`() {
        let lanes = [Lane(id: .main), Lane(id: "art")]
        check(
            catalogue(lanes: lanes, tiers: [Tier(id: "a", lane: "art", rank: 1)]),
            following: catalogue(tiers: [Tier(id: "a", rank: 1)]), finds: "tiers[0].lane")
    }

    @Test func `a defect reads as a sentence`() throws {
        let defect = try #require(CatalogueCheck.defects(in: catalogue(defaultTier: "free")).first)
        #expect(defect.description == "default_tier: there is no tier \"free\"; write one of \"pro\"")
        #expect(defect.path == [.field(.defaultTier)])
        let tiers = ["d", "b", "a", "e", "c"].enumerated().map { Tier(id: TierID($1), rank: $0) }
        let other = try #require(CatalogueCheck.defects(in: catalogue(defaultTier: "x", tiers: tiers)).first)
        #expect(other.description.hasSuffix(#"; write one of "a", "b", "c", "d", "e""#))
    }
}

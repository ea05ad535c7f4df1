import Testing

@testable import Entitlements

/// The differences between versions of the catalogue.
struct CatalogueDifferenceTests {
    private static func product(_ id: String, days: Int = 30, app: String = "a") -> Product {
        Product(id: ProductID(id), app: AppID(app), terms: .pass(tier: TierID("pro"), days: days))
    }

    private static func catalogue(
        _ products: [Product], tiers: [String: Int] = ["pro": 1], of tier: String? = nil
    ) -> Catalogue {
        Catalogue(
            apps: [Catalogue.App(id: AppID("a"))], defaultTier: tier.map { TierID($0) },
            tiers: tiers.sorted { $0.key < $1.key }.map { Tier(id: TierID($0.key), rank: $0.value) },
            products: products)
    }

    @Test func `products and tiers are added, changed and removed by their ids`() {
        let difference = CatalogueDifference(
            from: Self.catalogue([Self.product("same"), Self.product("longer"), Self.product("gone")]),
            to: Self.catalogue(
                [Self.product("new"), Self.product("longer", days: 60), Self.product("same")],
                tiers: ["basic": 1, "pro": 2]))
        #expect(difference.products.map(\.id) == ["new", "longer", "gone"])
        #expect(difference.products.map(\.kind) == [.added, .changed, .removed])
        #expect(difference.tiers.map(\.id) == ["basic", "pro"] && difference.tiers.map(\.kind) == [.added, .changed])
        #expect(!difference.hasFurther && !difference.isEmpty)
    }

    @Test func `an id is another product in another app`() {
        let difference = CatalogueDifference(
            from: Self.catalogue([Self.product("p")]), to: Self.catalogue([Self.product("p", app: "b")]))
        #expect(difference.products.map(\.kind) == [.added, .removed])
        #expect(difference.products.map { $0.app?.text } == ["b", "a"])
    }

    @Test func `the order changes nothing, and the default tier something`() {
        let (one, two) = (Self.product("one"), Self.product("two"))
        #expect(CatalogueDifference(from: Self.catalogue([one, two]), to: Self.catalogue([two, one])).isEmpty)
        let difference = CatalogueDifference(from: Self.catalogue([one]), to: Self.catalogue([one], of: "pro"))
        #expect(difference.hasFurther && difference.products.isEmpty)
    }
}

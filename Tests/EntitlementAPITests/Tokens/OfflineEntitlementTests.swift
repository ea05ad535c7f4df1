import Entitlements
import Support
import Testing

@testable import EntitlementAPI

/// A token never outlives what it claims.
struct OfflineEntitlementTests {
    private static let hour = Instant.millisecondsPerHour

    private static let tiers = [
        Tier(id: TierID("free"), rank: 0, limits: ["saved_trips": 1]),
        Tier(id: TierID("basic"), rank: 1, features: [Feature("standard")], limits: ["saved_trips": 10]),
        Tier(
            id: TierID("pro"), rank: 2, features: [Feature("premium"), Feature("standard")],
            limits: ["saved_trips": 1000]),
        Tier(id: TierID("maps"), lane: LaneID("maps"), rank: 1, features: [Feature("maps")]),
        Tier(id: TierID("charts"), lane: LaneID("maps"), rank: 2, features: [Feature("charts"), Feature("maps")]),
    ]

    private static let catalogue: CatalogueVersions = {
        let passes = ["basic", "pro", "maps", "charts"].flatMap { tier in
            (1...4).map { days in
                Product(
                    id: ProductID("\(tier).\(days)"), app: Fixture.app, terms: .pass(tier: TierID(tier), days: days))
            }
        }
        let others = [
            Product(
                id: ProductID("plan"), app: Fixture.app,
                terms: .plan(tier: TierID("pro"), planID: "monthly_1", familyShareable: false)),
            Product(
                id: ProductID("addon"), app: Fixture.app,
                terms: .addOn(features: [Feature("xyz")], requires: nil, seats: 0, familyShareable: false)),
            Product(
                id: ProductID("addon.pro"), app: Fixture.app,
                terms: .addOn(features: [Feature("uvw")], requires: TierID("pro"), seats: 0, familyShareable: false)),
        ]
        return CatalogueVersions(
            first: CatalogueVersions.Version(
                number: 1, effectiveAt: .distantPast,
                catalogue: Catalogue(
                    apps: [Catalogue.App(id: Fixture.app)], defaultTier: TierID("free"),
                    lanes: [Lane(id: .main), Lane(id: LaneID("maps"))], tiers: tiers, products: passes + others)))
    }()

    /// Something bought `hours` ago, perhaps a period of `periodHours`.
    struct Bought: Sendable {
        let product: String
        var hoursAgo = 0
        var periodHours: Int?
        var environment = StoreEnvironment.production
    }

    private static func fold(_ bought: [Bought]) throws -> @Sendable (Instant) -> Standing {
        var ledger = UserLedger(user: try Fixture.user())
        for (number, item) in bought.enumerated() {
            let at = Fixture.now + -Int64(item.hoursAgo) * hour
            let key = PurchaseKey(
                source: .appleIAP, app: Fixture.app, environment: item.environment, externalID: ExternalID("\(number)"))
            let purchase = VerifiedPurchase(
                key: key, transactionID: TransactionID("\(number)"), productID: ProductID(item.product),
                type: item.periodHours != nil
                    ? .plan : item.product.hasPrefix("addon") ? .addOn : .pass,
                purchasedAt: at, expiresAt: item.periodHours.map { at + Int64($0) * hour }, signedAt: at)
            ledger.append([.init(.stated(.purchase(purchase)), at: at), .init(.bound(key), at: at)], at: at)
        }
        let final = ledger
        return { at in
            let timeline = Timeline(folding: final, given: catalogue, settings: Fixture.settings)
            return Standing(status: timeline.status(at: at), holdsUntil: timeline.nextChange(after: at))
        }
    }

    /// What was bought, and after how many hours a token of 72 hours ends.
    static let vectors: [(name: String, bought: [Bought], hours: Int)] = [
        ("nothing: soon", [], 1),
        ("a pass that outlives the token", [Bought(product: "pro.4")], 72),
        ("a pass that ends before", [Bought(product: "pro.1", hoursAgo: 4)], 20),
        ("a pass that has ended: soon", [Bought(product: "pro.1", hoursAgo: 30)], 1),
        ("two passes in a row count as one", [Bought(product: "pro.1", hoursAgo: 4), Bought(product: "pro.2")], 68),
        (
            "pro until tomorrow, basic after it", [Bought(product: "basic.4", hoursAgo: 1), Bought(product: "pro.1")],
            24
        ),
        (
            "basic alone after pro", [Bought(product: "pro.1", hoursAgo: 30), Bought(product: "basic.2", hoursAgo: 6)],
            42
        ),
        (
            "two lanes, the side one ends first",
            [Bought(product: "pro.4", hoursAgo: 1), Bought(product: "maps.1", hoursAgo: 1)], 23
        ),
        (
            "two lanes of one rank: charts end, pro goes on",
            [Bought(product: "pro.4", hoursAgo: 1), Bought(product: "charts.2", hoursAgo: 1)], 47
        ),
        ("an add-on alone is for ever", [Bought(product: "addon", hoursAgo: 100)], 72),
        (
            "an add-on that requires the tier that ends",
            [Bought(product: "addon.pro", hoursAgo: 100), Bought(product: "pro.1", hoursAgo: 2)], 22
        ),
        ("an add-on beside a pass that ends", [Bought(product: "addon"), Bought(product: "pro.1", hoursAgo: 2)], 22),
        // Its leeway counts only once it is entered.
        ("a period that will renew", [Bought(product: "plan", hoursAgo: 700, periodHours: 720)], 20),
        ("a period in its leeway", [Bought(product: "plan", hoursAgo: 730, periodHours: 720)], 14),
    ]

    @Test(arguments: vectors.indices)
    func `a token ends with what it claims`(index: Int) throws {
        let vector = Self.vectors[index]
        let offline = OfflineEntitlement(at: Fixture.now, forHours: 72, try Self.fold(vector.bought))
        #expect(offline.endsAt - Fixture.now == Int64(vector.hours) * Self.hour, "\(vector.name)")
        let short = OfflineEntitlement(at: Fixture.now, forHours: 1, try Self.fold(vector.bought))
        #expect(short.endsAt - Fixture.now == Self.hour, "\(vector.name)")
    }

    @Test func `a token ends where what was folded says nothing more`() throws {
        let fold = try Self.fold([Bought(product: "pro.4")])
        let testersChangeAt = Fixture.now + 3 * Self.hour
        let offline = OfflineEntitlement(at: Fixture.now, forHours: 72) { at in
            let folded = fold(at)
            return .init(status: folded.status, holdsUntil: min(folded.holdsUntil, testersChangeAt))
        }
        #expect(offline.endsAt == testersChangeAt)
    }

    @Test func `whatever was bought, all that a token claims is given until its end`() throws {
        var chance = SeededChance("offline entitlements")
        let products = Self.catalogue.latest.catalogue.products.map(\.id.text)
        for round in 0..<300 {
            let bought = (0..<Int.random(in: 0...6, using: &chance)).map { _ in
                let product = products[Int.random(in: products.indices, using: &chance)]
                return Bought(
                    product: product, hoursAgo: Int.random(in: 0...120, using: &chance),
                    periodHours: product == "plan" ? Int.random(in: 1...200, using: &chance) : nil)
            }
            let fold = try Self.fold(bought)
            let offline = OfflineEntitlement(at: Fixture.now, forHours: 72, fold)
            let life = offline.endsAt - Fixture.now
            #expect(life > 0 && life <= 72 * Self.hour, "round \(round)")
            if offline.status.active, let expires = offline.status.expiresAt { #expect(offline.endsAt <= expires) }
            for offset in stride(from: 0, to: life, by: 1_800_000) {
                let later = fold(Fixture.now + offset).status
                #expect(later.gives(everythingOf: offline.status), "round \(round): \(bought), \(offset)")
            }
            #expect(fold(offline.endsAt + -1).status.gives(everythingOf: offline.status), "round \(round)")
        }
    }

    @Test func `a tier that rises does not end what was claimed`() throws {
        let fold = try Self.fold([
            Bought(product: "basic.4", hoursAgo: 1), Bought(product: "plan", hoursAgo: -10, periodHours: 720),
        ])
        let offline = OfflineEntitlement(at: Fixture.now, forHours: 72, fold)
        #expect(offline.status.tier == TierID("basic"))
        #expect(offline.endsAt - Fixture.now == 72 * Self.hour)
    }

    @Test func `a token tells which of a store's worlds it comes from`() throws {
        func environments(_ bought: [Bought]) throws -> [String] {
            OfflineEntitlement(at: Fixture.now, forHours: 72, try Self.fold(bought)).environments.map(\.rawValue)
        }
        let ended = Bought(product: "pro.1", hoursAgo: 90, environment: .sandbox)
        #expect(try environments([ended]) == [])
        #expect(try environments([ended, Bought(product: "pro.1")]) == ["Production"])
        #expect(
            try environments([Bought(product: "addon", environment: .sandbox), Bought(product: "pro.1")])
                == ["Production", "Sandbox"])
    }

    @Test func `a timeline that changes without end is believed as far as it was followed`() throws {
        let fold = try Self.fold([Bought(product: "pro.4")])
        var asked = 0
        let offline = OfflineEntitlement(at: Fixture.now, forHours: 72) { at in
            asked += 1
            return Standing(status: fold(at).status, holdsUntil: at + 1)
        }
        #expect(asked == OfflineEntitlement.maximumChanges + 1)
        #expect(offline.endsAt - Fixture.now == Int64(OfflineEntitlement.maximumChanges) + 1)
    }
}

import Entitlements
import Testing

/// How many devices may be active (`semantics.md` §8).
@Suite struct SeatTests {
    /// The seats allowed at instants, asked with and without a device on record, which take different paths.
    private func check(
        _ story: Story, in catalogue: CatalogueVersions = .plans, settings: EntitlementSettings = .withoutLeeway,
        _ expected: KeyValuePairs<Instant, Int>, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let plain = story.timeline(in: catalogue, settings: settings)
        let tracked = story.registers("a", at: "2025-01-01").timeline(in: catalogue, settings: settings)
        for (instant, allowed) in expected {
            for timeline in [plain, tracked] {
                #expect(
                    timeline.status(at: instant).devices.allowed == allowed, "\(instant.text)",
                    sourceLocation: sourceLocation)
            }
        }
    }

    @Test func `a user with nothing has no seats unless the default tier does`() {
        check(Story(), ["01-01": 0])
        let free = Catalogue(
            apps: [], defaultTier: "free", tiers: [Tier(id: "free", rank: 0, devices: 1)], products: [])
        check(Story(), in: CatalogueVersions(free), ["01-01": 1])
    }

    @Test func `the largest count of what covers is allowed`() {
        let story = Story().has(seats: 3, from: "01-10", until: "02-10").buys("b", .basic30, at: "01-01")
            .buys("p", at: "01-20")
        check(
            story,
            ["2025-12-31": 0, "01-01": 1, "01-10": 3, "01-20": 5, "02-18 23:59:59.999": 5, "02-19": 1, "03-02": 0])
    }

    @Test func `a product's own seats go before its tier's`() {
        let catalogue = Catalogue.plans(adding: [
            Product(id: "pass.2", app: .vpn, terms: .pass(tier: "pro", days: 30), devices: 2)
        ])
        check(Story().buys("p", "pass.2", at: "01-01"), in: CatalogueVersions(catalogue), ["01-01": 2, "01-31": 0])
        check(Story().has(seats: 7, from: "01-01", until: "02-01"), ["01-01": 7])
    }

    @Test func `an edit of the catalogue changes a tier's seats and no purchase's own`() {
        let edited = Catalogue(
            apps: [], tiers: [Tier(id: "basic", rank: 1, devices: 4), Tier(id: "pro", rank: 2, devices: 6)],
            products: [
                Product(id: "pass.2", app: .vpn, terms: .pass(tier: "pro", days: 30), devices: 9),
                Product(id: .plan(3), app: .vpn, terms: .plan(tier: "basic", planID: nil, familyShareable: false)),
            ])
        let first = Catalogue.plans(adding: [
            Product(id: "pass.2", app: .vpn, terms: .pass(tier: "pro", days: 30), devices: 2)
        ])
        let versions = CatalogueVersions(
            first: .init(number: 1, effectiveAt: .distantPast, catalogue: first),
            later: [.init(number: 2, effectiveAt: "01-15", catalogue: edited)])
        check(Story().buys("p", at: "01-01"), in: versions, ["01-14 23:59:59.999": 5, "01-15": 6])
        check(Story().buys("p", "pass.2", at: "01-01"), in: versions, ["01-14": 2, "01-20": 2])
        check(Story().buys("p", "pass.2", at: "01-16"), in: versions, ["01-20": 9])
        check(Story().has(seats: 3, from: "01-01", until: "02-01"), in: versions, ["01-14": 3, "01-20": 3])
        check(Story().has(seats: 3, from: "01-16", until: "02-01"), in: versions, ["01-20": 4])
    }

    @Test func `a grace gives seats once it is entered`() {
        let story = Story().has(seats: 3, from: "01-01", until: "02-01")
        check(story, settings: .everyone, ["01-31": 3, "02-01": 3, "02-01 23:59:59.999": 3, "02-02": 0])
    }

    @Test func `each seat add-on counts from its purchase until its refund and from its reversal on`() {
        let story = Story().buys("s1", .seats, at: "01-05", type: .addOn)
            .buys("s2", .seats, at: "01-10", type: .addOn)
            .refunds("s2", at: "01-15", signedAt: "01-16").reverses("s2", signedAt: "01-20")
        check(story, ["01-04": 0, "01-05": 2, "01-10": 4, "01-15": 2, "01-20": 4])
        let repeated = story.attaches(.state(of: "s1", .seats, .addOn, at: "01-05"), at: "01-21")
        check(repeated, ["01-04": 0, "01-05": 2, "01-21": 4, "01-30": 4])
    }

    @Test func `an add-on that requires a tier gives seats while its rank covers`() {
        let catalogue = Catalogue.plans(adding: [
            Product(
                id: "pro.seats", app: .vpn,
                terms: .addOn(features: [], requires: "pro", seats: 3, familyShareable: false)),
            Product(
                id: "no.seats", app: .vpn,
                terms: .addOn(features: [], requires: "gone", seats: 3, familyShareable: false)),
        ])
        let story = Story().buys("s", "pro.seats", at: "01-01", type: .addOn)
            .buys("n", "no.seats", at: "01-01", type: .addOn)
            .buys("b", .basic30, at: "01-05").buys("p", at: "01-10")
        check(
            story, in: CatalogueVersions(catalogue),
            ["01-04": 0, "01-05": 1, "01-10": 8, "02-08": 8, "02-09": 1, "03-06": 0])
    }

    @Test func `sandbox gives seats only to whom it counts`() {
        let story = Story().buys("p", at: "01-01", environment: .sandbox)
            .buys("s", .seats, at: "01-01", environment: .sandbox, type: .addOn)
        check(story, ["01-02": 7])
        check(story, settings: .production, ["01-02": 0])
    }

    @Test func `a quarantined add-on gives no seats`() {
        let story = Story().buys("s", .seats, at: "01-01", type: .addOn)
            .records(.state(of: "s", .xyz, .addOn, at: "01-01", signedAt: "01-02"), at: "01-02")
        check(story, ["01-03": 0])
    }

    @Test(arguments: [(.min, 0), (0, 0), (1, 1), (10_000, 10_000), (.max, 10_000)] as [(Int, Int)])
    func `where units are seats, none are none, and no more count than a catalogue may say`(units: Int, seats: Int) {
        let plan = Terms.plan(tier: "pro", planID: "monthly_3", familyShareable: false)
        #expect(Product(id: "a", app: .vpn, terms: plan, seatsFollowQuantity: true).seats(of: units) == seats)
        #expect(Product(id: "a", app: .vpn, terms: plan).seats(of: units) == 3)
    }

    @Test func `devices of a product are checked in the catalogue`() {
        func defects(_ product: Product) -> [String] {
            CatalogueCheck.defects(in: .plans(adding: [product])).map(\.description)
        }
        #expect(defects(Product(id: "a", app: .vpn, terms: .pass(tier: "pro", days: 30), devices: 3)) == [])
        #expect(
            defects(Product(id: "a", app: .vpn, terms: .pass(tier: "pro", days: 30), devices: -1)) == [
                "products[21].devices: -1 is out of range; write 0 to 10000"
            ])
        let plan = Terms.plan(tier: "pro", planID: "annual_3", familyShareable: false)
        #expect(defects(Product(id: "a", app: .vpn, terms: plan, devices: 3)) == [])
        #expect(
            defects(Product(id: "a", app: .vpn, terms: plan, devices: 4)) == [
                "products[21].devices: the plan id says 3; leave it out"
            ])
        let unit = Terms.consumable(unit: "a", amount: 1, onShortfall: .debt)
        #expect(
            defects(Product(id: "a", app: .vpn, terms: unit, devices: 1)) == [
                "products[21].devices: a product of this kind has no devices; leave it out"
            ])
    }
}

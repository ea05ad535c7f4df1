import Entitlements
import Testing

/// Advice on a change of plan: what would follow if the target took the place of what gives the seats
/// (`api.md`, "Change of plan").
@Suite struct PlanChangeTests {
    /// Such as `downgrade 3 to 1, 2 active, release b a`, or `unknown`.
    private func advice(
        _ story: Story, to target: PlanTarget, at instant: Instant, in catalogue: CatalogueVersions
    ) -> String {
        let timeline = story.timeline(in: catalogue, settings: .withoutLeeway)
        switch timeline.planChange(to: target, at: instant) {
        case .failure(.unknownTarget): return "unknown"
        case .success(let change):
            let counts = "\(change.action.rawValue) \(change.currentDevices) to \(change.targetDevices)"
            let release = change.devicesToRelease.map { " \($0)" }.joined()
            #expect(change.isAllowed == release.isEmpty)
            return "\(counts), \(change.activeDevices) active" + (change.isAllowed ? "" : ", release\(release)")
        }
    }

    private func check(
        _ story: Story, to target: PlanTarget, at instant: Instant = "01-15", in catalogue: CatalogueVersions = .plans,
        is expected: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(advice(story, to: target, at: instant, in: catalogue) == expected, sourceLocation: sourceLocation)
    }

    /// The plans, and an add-on of 3 seats that requires pro.
    private static let withProSeats = CatalogueVersions(
        .plans(adding: [
            Product(
                id: "pro.seats", app: .vpn,
                terms: .addOn(features: [], requires: "pro", seats: 3, familyShareable: false))
        ]))

    private static func plan(_ seats: Int) -> Story { Story().has(seats: seats, from: "01-01", until: "02-01") }

    @Test func `the seed's table: no plan subscribes, the same is current, more is an upgrade, fewer a downgrade`() {
        check(Story(), to: .planID("monthly_1"), is: "subscribe 0 to 1, 0 active")
        check(Self.plan(1), to: .planID("monthly_1"), is: "current 1 to 1, 0 active")
        check(Self.plan(1), to: .planID("monthly_2"), is: "upgrade 1 to 2, 0 active")
        check(Self.plan(3), to: .planID("monthly_1"), is: "downgrade 3 to 1, 0 active")
        check(Self.plan(3), to: .planID("monthly_5"), is: "upgrade 3 to 5, 0 active")
        check(Self.plan(3), to: .planID("annual_3"), is: "current 3 to 3, 0 active")
    }

    @Test func `a downgrade below the active devices names those to release, in their order`() {
        let story = Self.plan(4).registers("a", at: "01-02", isPinned: true).registers("b", at: "01-03")
            .registers("c", at: "01-04").registers("d", at: "01-05").does(.suspended, to: "d", at: "01-06")
        check(story, to: .planID("monthly_3"), is: "downgrade 4 to 3, 3 active")
        check(story, to: .planID("monthly_2"), is: "downgrade 4 to 2, 3 active, release b")
        check(story, to: .planID("monthly_1"), is: "downgrade 4 to 1, 3 active, release b c")
        check(story.does(.removed, to: "b", at: "01-07"), to: .planID("monthly_2"), is: "downgrade 4 to 2, 2 active")
    }

    @Test func `a target is a plan or a pass of the catalogue or a plan id that says its seats`() {
        check(Self.plan(2), to: .product(.plan(5)), is: "upgrade 2 to 5, 0 active")
        check(Self.plan(2), to: .product(.pro30), is: "upgrade 2 to 5, 0 active")
        check(Self.plan(2), to: .product(.basic30), is: "downgrade 2 to 1, 0 active")
        check(Self.plan(2), to: .product(.basicMonthly), is: "downgrade 2 to 1, 0 active")
        check(Self.plan(2), to: .product(.eyes30), is: "downgrade 2 to 0, 0 active")
        check(Self.plan(2), to: .planID("annual_77"), is: "upgrade 2 to 77, 0 active")
        for name in ["", "monthly", "monthly_0", "weekly_1", "monthly_1 ", "plan.1"] {
            check(Self.plan(2), to: .planID(name), is: "unknown")
        }
        for product in [ProductID.seats, .xyz, .credits100, "nothing"] {
            check(Self.plan(2), to: .product(product), is: "unknown")
        }
    }

    @Test func `a plan id of another form has the seats of its tier`() {
        let catalogue = Catalogue.plans(adding: [
            Product(id: "f", app: .vpn, terms: .plan(tier: "pro", planID: "family", familyShareable: false)),
            Product(id: "g", app: .vpn, terms: .plan(tier: "pro", planID: "guild", familyShareable: false), devices: 8),
        ])
        check(Self.plan(2), to: .planID("family"), in: CatalogueVersions(catalogue), is: "upgrade 2 to 5, 0 active")
        check(Self.plan(2), to: .planID("guild"), in: CatalogueVersions(catalogue), is: "upgrade 2 to 8, 0 active")
        check(Self.plan(2), to: .product("g"), in: CatalogueVersions(catalogue), is: "upgrade 2 to 8, 0 active")
    }

    @Test func `a target is read in the catalogue in force`() {
        let versions = CatalogueVersions(
            first: .init(number: 1, effectiveAt: .distantPast, catalogue: .plans()),
            later: [.init(number: 2, effectiveAt: "01-20", catalogue: .plans(adding: [Product.fresh]))])
        check(Self.plan(2), to: .product("fresh"), at: "01-19", in: versions, is: "unknown")
        check(Self.plan(2), to: .product("fresh"), at: "01-20", in: versions, is: "upgrade 2 to 6, 0 active")
    }

    @Test func `a pass is replaced like a plan`() {
        let story = Story().buys("p", at: "01-01").registers("a", at: "01-02").registers("b", at: "01-03")
        check(story, to: .planID("monthly_1"), is: "downgrade 5 to 1, 2 active, release a")
        check(story, to: .planID("monthly_2"), is: "downgrade 5 to 2, 2 active")
        check(story, to: .product(.pro30), is: "current 5 to 5, 2 active")
    }

    @Test func `what gives fewer seats stays beside the target`() {
        let story = Self.plan(3).has(seats: 2, from: "01-01", until: "02-01").buys("b", .basic30, at: "01-01")
        check(story, to: .planID("monthly_1"), is: "downgrade 3 to 2, 0 active")
        check(story, to: .planID("monthly_3"), is: "current 3 to 3, 0 active")
        check(story, to: .planID("monthly_4"), is: "upgrade 3 to 4, 0 active")
    }

    @Test func `seat add-ons stay as far as what they require is there`() {
        let versions = Self.withProSeats
        let story = Story().buys("s", .seats, at: "01-01", type: .addOn)
            .buys("t", "pro.seats", at: "01-01", type: .addOn)
        check(story, to: .planID("monthly_1"), in: versions, is: "subscribe 2 to 3, 0 active")
        check(story, to: .planID("annual_77"), in: versions, is: "subscribe 2 to 79, 0 active")
        check(story, to: .product(.pro30), in: versions, is: "subscribe 2 to 10, 0 active")
        let pro = story.buys("p", at: "01-01")
        check(pro, to: .planID("monthly_2"), in: versions, is: "downgrade 10 to 7, 0 active")
        check(pro, to: .planID("monthly_4"), in: versions, is: "downgrade 10 to 6, 0 active")
        check(pro, to: .planID("annual_6"), in: versions, is: "upgrade 10 to 11, 0 active")
    }

    @Test func `of what gives equally many seats the highest rank is replaced, and what gives none is not`() {
        let story = Self.plan(5).buys("p", at: "01-01").buys("t", "pro.seats", at: "01-01", type: .addOn)
        check(story, to: .planID("monthly_4"), in: Self.withProSeats, is: "downgrade 8 to 5, 0 active")
        check(Story().buys("e", .eyes30, at: "01-01"), to: .planID("monthly_1"), is: "subscribe 0 to 1, 0 active")
    }

    @Test func `a plan id that nobody sells has the rank of what it replaces, in grace too`() {
        let period = VerifiedPurchase.state(
            of: "w", .proMonthly, .plan, transaction: "2", at: "01-10", until: "02-01")
        let renewal = VerifiedRenewal(key: .pass("w"), signedAt: "01-20", willRenew: true, graceEndsAt: "02-17")
        let story = Story().buys("t", "pro.seats", at: "01-01", type: .addOn).attaches(period, at: "01-10")
            .states(.renewal(renewal), at: "01-20")
        check(
            story, to: .planID("annual_77"), at: "02-10", in: Self.withProSeats, is: "upgrade 5 to 80, 0 active")
    }

    @Test func `only a change to fewer seats is refused`() {
        let story = Story().has(seats: 4, from: "2025-12-01", until: "01-15")
            .registers("a", at: "2025-12-02").registers("b", at: "2025-12-02").registers("c", at: "2025-12-02")
        check(story, to: .planID("monthly_1"), at: "01-15 12:00", is: "subscribe 0 to 1, 3 active")
        let reduced = story.has(seats: 1, from: "01-15", until: "02-01")
        check(reduced, to: .planID("monthly_1"), at: "01-15 12:00", is: "current 1 to 1, 3 active")
        check(reduced, to: .planID("monthly_2"), at: "01-15 12:00", is: "upgrade 1 to 2, 3 active")
    }

    @Test func `seats of the default tier are replaced by a subscription`() {
        let free = Catalogue(
            apps: [], defaultTier: "free", tiers: [Tier(id: "free", rank: 0, devices: 2)], products: [])
        let story = Story().registers("a", at: "01-02").registers("b", at: "01-03")
        check(
            story, to: .planID("monthly_1"), in: CatalogueVersions(free), is: "subscribe 2 to 1, 2 active, release a")
    }
}

extension Product {
    fileprivate static let fresh = Product(
        id: "fresh", app: .vpn, terms: .plan(tier: "pro", planID: "monthly_6", familyShareable: false))
}

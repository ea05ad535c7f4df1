import Entitlements
import Testing

/// What the states of a purchase and the catalogue say together (`semantics.md` §1, §2, §3, §5).
@Suite struct PurchaseTests {
    private func check(
        _ story: Story, isOnlyRecorded obstacle: Purchase.Obstacle, in catalogue: CatalogueVersions = .example,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let timeline = story.timeline(in: catalogue)
        let purchase = try #require(timeline.purchases.first, sourceLocation: sourceLocation)
        #expect(timeline.obstacle(to: purchase) == obstacle, sourceLocation: sourceLocation)
        #expect(timeline.planned.isEmpty, sourceLocation: sourceLocation)
        #expect(timeline.subscriptions.isEmpty, sourceLocation: sourceLocation)
        let status = timeline.status(at: "01-02")
        #expect(status.entitlements.map(\.state) == [.recorded], sourceLocation: sourceLocation)
        #expect(status.explanation.map(\.reason) == [obstacle.reason], sourceLocation: sourceLocation)
        #expect(!status.active && status.addOns.isEmpty && status.credits.isEmpty, sourceLocation: sourceLocation)
    }

    @Test func `an unknown product is only recorded`() throws {
        try check(Story().buys("p", "pro.31", at: "01-01"), isOnlyRecorded: .unknownProduct)
    }

    @Test func `another type than the catalogue says is only recorded`() throws {
        try check(Story().buys("p", .pro30, at: "01-01", type: .consumable), isOnlyRecorded: .productTypeMismatch)
        try check(Story().buys("p", .pro30, at: "01-01", type: .plan), isOnlyRecorded: .productTypeMismatch)
        try check(Story().buys("p", .xyz, at: "01-01", type: .unknown("Bond")), isOnlyRecorded: .productTypeMismatch)
        try check(Story().buys("p", .proMonthly, at: "01-01"), isOnlyRecorded: .productTypeMismatch)
    }

    @Test func `a family-shared pass or consumable is only recorded`() throws {
        try check(Story().buys("p", at: "01-01", isFamilyShared: true), isOnlyRecorded: .familyShared)
        try check(
            Story().buys("c", .credits100, at: "01-01", type: .consumable, isFamilyShared: true),
            isOnlyRecorded: .familyShared)
    }

    @Test func `a family-shared add-on counts where the catalogue says so`() throws {
        let shared = Story().buys("a", .xyz, at: "01-01", type: .addOn, isFamilyShared: true)
        #expect(shared.status(at: "01-02").features == ["xyz"])
        try check(
            Story().buys("a", .proOnly, at: "01-01", type: .addOn, isFamilyShared: true),
            isOnlyRecorded: .familyShared)
    }

    @Test func `states that name different products quarantine the purchase, whichever came first`() throws {
        let one = VerifiedPurchase.state(of: "p", .pro30, at: "01-01")
        let other = VerifiedPurchase.state(of: "p", .basic30, transaction: "copy", at: "01-02")
        try check(Story().attaches(one, at: "01-01").records(other, at: "01-03"), isOnlyRecorded: .quarantined)
        try check(Story().attaches(other, at: "01-01").records(one, at: "01-03"), isOnlyRecorded: .quarantined)
    }

    @Test func `evidence that is not bound gives nothing`() {
        let story = Story().records(.state(of: "p", at: "01-01"), at: "01-01")
        #expect(story.timeline().purchases.isEmpty)
        #expect(story.status(at: "01-02").state == .none)
    }

    @Test func `a binding without evidence gives nothing`() {
        var ledger = UserLedger(user: .alice)
        ledger.append([.init(.bound(.pass("p")), at: "01-01")], at: "01-01")
        #expect(Timeline(folding: ledger, given: .example, settings: .everyone).purchases.isEmpty)
    }

    @Test func `the anchor is the date of the purchase itself, else the earliest that a copy names`() {
        let copies: [VerifiedPurchase] = [
            .state(of: "p", transaction: "copy2", at: "03-01", originallyAt: "01-02", signedAt: "03-01"),
            .state(of: "p", transaction: "copy1", at: "02-01", originallyAt: "01-01 00:00:01", signedAt: "02-01"),
        ]
        #expect(Purchase.anchor(of: copies) == "01-01 00:00:01")
        #expect(Purchase.anchor(of: copies + [.state(of: "p", at: "01-03")]) == "01-03")
        #expect(Purchase.anchor(of: []) == nil)
        let originals = ["01-03", "01-01"].map { VerifiedPurchase.state(of: "p", at: $0) }
        for order in [originals, originals.reversed()] { #expect(Purchase.anchor(of: order) == "01-01") }
    }

    @Test func `a Sandbox pass is as long as its terms say for the Sandbox, times its quantity`() {
        let terms = Terms.pass(tier: "pro", days: 30, sandboxMinutes: 3)
        let catalogue = CatalogueVersions(.example(adding: [Product(id: "short", app: .vpn, terms: terms)]))
        func lengths(_ product: ProductID, _ environment: StoreEnvironment, quantity: Int = 1) -> [Int64?] {
            Story().buys("p", product, at: "01-01", quantity: quantity, environment: environment)
                .status(at: "01-01 00:01", in: catalogue).entitlements.map(\.length)
        }
        #expect(lengths("short", .sandbox) == [180_000] && lengths("short", .sandbox, quantity: 2) == [360_000])
        #expect(lengths("short", .production) == [30 * Instant.millisecondsPerDay])
        #expect(lengths(.pro30, .sandbox) == [30 * Instant.millisecondsPerDay])
        #expect(Story().buys("a", .xyz, at: "01-01", type: .addOn).status(at: "01-02").entitlements[0].length == nil)
    }

    @Test func `two short passes of the Sandbox run one after the other, and a refund ends its part alone`() {
        let terms = Terms.pass(tier: "pro", days: 30, sandboxMinutes: 10)
        let catalogue = CatalogueVersions(.example(adding: [Product(id: "short", app: .vpn, terms: terms)]))
        let story = Story().buys("a", "short", at: "01-01", environment: .sandbox)
            .buys("b", "short", at: "01-01 00:04", environment: .sandbox)
        let status = story.status(at: "01-01 00:05", in: catalogue)
        #expect(status.entitlements.map(\.endsAt) == ["01-01 00:10", "01-01 00:20"])
        #expect(status.expiresAt == "01-01 00:20" && !story.status(at: "01-01 00:20", in: catalogue).active)
        let refunded = story.refunds("a", at: "01-01 00:06").status(at: "01-01 00:07", in: catalogue)
        #expect(refunded.expiresAt == "01-01 00:16")
    }

    @Test func `the quantity is the largest that a state names, of the original or of a copy`() {
        let original = VerifiedPurchase.state(of: "p", at: "01-01")
        let more = VerifiedPurchase.state(of: "p", at: "01-01", quantity: 2, signedAt: "01-02")
        let copies = [2, 3].map { quantity in
            VerifiedPurchase.state(
                of: "p", transaction: "copy\(quantity)", at: "01-05", originallyAt: "01-01", quantity: quantity)
        }
        for (states, segment) in [
            ([original], "p 01-01..01-31"), ([original, more], "p 01-01..03-02"), (copies, "p 01-01..04-01"),
            ([original, copies[1]], "p 01-01..04-01"), ([original, more, copies[1]], "p 01-01..04-01"),
        ] {
            for order in [states, states.reversed()] {
                #expect(order.reduce(Story()) { $0.attaches($1, at: "01-06") }.segments() == [segment])
            }
        }
    }

    @Test func `a restored copy is the same pass, and its refund stops it`() {
        let story = Story().buys("p", at: "01-01")
            .records(.state(of: "p", transaction: "copy", at: "01-10", originallyAt: "01-01"), at: "01-10")
        #expect(story.segments() == ["p 01-01..01-31"])
        let refunded = story.records(
            .state(
                of: "p", transaction: "copy", at: "01-10", originallyAt: "01-01",
                revocation: Revocation(revokedAt: "01-12", share: 100_000), signedAt: "01-12"), at: "01-12")
        #expect(refunded.segments() == ["p 01-01..01-12"])
    }

    @Test func `an unknown product begins to count when the catalogue learns it`() {
        let without = Catalogue.example(without: [.pro30])
        let learned = CatalogueVersions(
            first: .init(number: 1, effectiveAt: "2025-01-01", catalogue: without),
            later: [.init(number: 2, effectiveAt: "01-15", catalogue: .example())])
        let story = Story().buys("p", at: "01-01")
        #expect(story.segments(in: CatalogueVersions(without)) == [])
        #expect(story.segments(in: learned) == ["p 01-01..01-31"])
    }

    @Test func `terms are those in force at the purchase`() {
        let longer = Product(id: .pro30, app: .vpn, terms: .pass(tier: "basic", days: 31))
        let versions = CatalogueVersions(
            first: .init(number: 1, effectiveAt: "2025-01-01", catalogue: .example()),
            later: [
                .init(
                    number: 2, effectiveAt: "02-01", catalogue: .example(adding: [longer], without: [.pro30])),
                .init(number: 3, effectiveAt: "05-01", catalogue: .example(without: [.pro30])),
            ])
        let story = Story().buys("old", at: "01-31 23:59:59.999").buys("new", at: "03-10").buys("late", at: "06-01")
        #expect(
            story.timeline(in: versions).planned.map { "\($0.segment.text) \($0.segment.tier)" } == [
                "old 01-31 23:59:59.999..03-02 23:59:59.999 pro", "new 03-10..04-10 basic", "late 06-01..07-01 pro",
            ])
    }

    @Test func `terms of a purchase that is older than the catalogue are those of the first version`() {
        let longer = Product(id: .pro30, app: .vpn, terms: .pass(tier: "pro", days: 60))
        let first = CatalogueVersions.Version(number: 1, effectiveAt: "02-01", catalogue: .example())
        let second = CatalogueVersions.Version(
            number: 2, effectiveAt: "03-01", catalogue: .example(adding: [longer], without: [.pro30]))
        for later in [[second], []] {
            let versions = CatalogueVersions(first: first, later: later)
            #expect(Story().buys("p", at: "01-15").segments(in: versions) == ["p 01-15..02-14"])
        }
    }

    @Test func `products of another app or source are unknown`() throws {
        let other = VerifiedPurchase.state(of: "p", .pro30, source: .stripe, at: "01-01")
        try check(Story().attaches(other, at: "01-01"), isOnlyRecorded: .unknownProduct)
    }

    @Test func `a product of a tier that nobody names is only recorded`() throws {
        let lost: [Product] = [
            Product(id: "lost", app: .vpn, terms: .pass(tier: "gone", days: 1)),
            Product(id: "lost.plan", app: .vpn, terms: .plan(tier: "gone", planID: nil, familyShareable: false)),
        ]
        let catalogue = CatalogueVersions(.example(adding: lost))
        try check(Story().buys("p", "lost", at: "01-01"), isOnlyRecorded: .unknownProduct, in: catalogue)
        try check(
            Story().buys("p", "lost.plan", at: "01-01", type: .plan), isOnlyRecorded: .unknownProduct,
            in: catalogue)
    }

    @Test func `passes of different lanes run side by side`() {
        #expect(
            Story().buys("p", at: "01-01").buys("e", .eyes30, at: "01-05").segments() == [
                "p 01-01..01-31", "e 01-05..02-04",
            ])
    }
}

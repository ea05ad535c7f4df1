import Entitlements
import Testing

/// Which purchases operators have to look at (`semantics.md` §1, §5, §10).
@Suite struct AnomalyTests {
    private func anomaly(
        _ story: Story, at instant: Instant = "01-02", settings: EntitlementSettings = .everyone
    ) -> Anomaly? {
        story.timeline(settings: settings).anomaly(of: .pass("p"), at: instant)
    }

    @Test func `each obstacle but that of the sandbox is an anomaly, under the name that explains it`() {
        let named = Purchase.Obstacle.allCases.filter { $0 != .sandboxNotAllowed }.map(\.reason.rawValue)
        let others = [
            "unowned", "unclear_refund", "quantity_differs", "paid_after_withdrawal", "unreadable_fields",
        ]
        #expect(Set(named + others) == Set(Anomaly.allCases.map(\.rawValue)))
        for (story, expected) in [
            (Story().buys("p", at: "01-01"), nil),
            (Story().buys("p", "unknown", at: "01-01"), .unknownProduct),
            (Story().buys("p", at: "01-01", type: .consumable), .productTypeMismatch),
            (Story().buys("p", at: "01-01", isFamilyShared: true), .familyShared),
            (
                Story().buys("p", at: "01-01").records(
                    .state(of: "p", .basic30, transaction: "copy", at: "01-02"), at: "01-02"), .quarantined
            ),
        ] as [(Story, Anomaly?)] {
            #expect(anomaly(story) == expected)
            #expect(story.status(at: "01-02").explanation.first?.reason?.rawValue == expected?.rawValue)
        }
    }

    @Test func `a refund changes nothing, and what counts in neither world is named by its own obstacle`() {
        #expect(anomaly(Story().buys("p", "unknown", at: "01-01").refunds("p", at: "01-02")) == .unknownProduct)
        let sandbox = Story().buys("p", at: "01-01", environment: .sandbox)
        let key = PurchaseKey(source: .appleIAP, app: .vpn, environment: .sandbox, externalID: ExternalID("p"))
        #expect(sandbox.timeline(settings: .production).anomaly(of: key, at: "01-02") == nil)
        let unknown = Story().buys("p", "unknown", at: "01-01", environment: .sandbox)
        #expect(unknown.timeline(settings: .production).anomaly(of: key, at: "01-02") == .unknownProduct)
    }

    @Test func `a share that the store does not tell is an anomaly until it tells it, or takes it back`() {
        let story = Story().buys("p", at: "01-01").refunds("p", at: "01-10", share: nil)
        #expect(anomaly(story, at: "01-12") == .unclearRefund)
        #expect(story.segments() == ["p 01-01..01-10"], "it counts as all until then")
        #expect(anomaly(story.refunds("p", at: "01-10", share: 40_000, signedAt: "01-15"), at: "01-17") == nil)
        #expect(anomaly(story.reverses("p", signedAt: "01-15"), at: "01-17") == nil)
        #expect(anomaly(story.reverses("p", signedAt: "01-05"), at: "01-17") == .unclearRefund)
        let copy = VerifiedPurchase.state(of: "p", transaction: "copy", at: "01-01", signedAt: "01-20")
        #expect(
            anomaly(story.records(copy, at: "01-20"), at: "01-21") == .unclearRefund,
            "another transaction settles nothing")
        #expect(anomaly(story, at: "01-09") == .unclearRefund, "it is known, whichever instant is asked about")
        let addOn = Story().buys("p", .xyz, at: "01-01", type: .addOn).refunds("p", at: "01-10", share: nil)
        #expect(anomaly(addOn, at: "01-12") == nil, "of an add-on any refund takes all")
        let coins = Story().buys("p", .credits100, at: "01-01", type: .consumable).refunds("p", at: "01-10", share: nil)
        #expect(anomaly(coins, at: "01-12") == .unclearRefund)
    }

    @Test func `states that name several quantities are an anomaly, and the largest counts`() {
        let one = Story().buys("p", at: "01-01", quantity: 2)
        #expect(anomaly(one) == nil && one.segments() == ["p 01-01..03-02"])
        let states = [3, 1].map { quantity in
            VerifiedPurchase.state(of: "p", at: "01-01", quantity: quantity, signedAt: "01-05")
        }
        for order in states.orders {
            let story = order.reduce(one) { $0.records($1, at: "01-06") }
            #expect(anomaly(story) == .quantityDiffers)
            #expect(story.segments() == ["p 01-01..04-01"])
            #expect(story.status(at: "01-10").entitlements.map(\.quantity) == [3])
        }
        let copy = VerifiedPurchase.state(of: "p", transaction: "copy", at: "01-02", quantity: 4)
        #expect(one.records(copy, at: "01-06").status(at: "01-10").entitlements.map(\.quantity) == [4])
        let coins = Story().buys("p", .credits100, at: "01-01", quantity: 2, type: .consumable).records(
            .state(of: "p", .credits100, .consumable, at: "01-01", quantity: 1, signedAt: "01-05"), at: "01-05")
        #expect(anomaly(coins) == .quantityDiffers && coins.status(at: "01-10").credits.map(\.credited) == [200])
        let unclear = one.records(states[0], at: "01-06").refunds("p", at: "01-10", share: nil)
        #expect(anomaly(unclear) == .unclearRefund, "it takes everything until it is clear")
        let addOn = Story().buys("p", .xyz, at: "01-01", quantity: 2, type: .addOn).records(
            .state(of: "p", .xyz, .addOn, at: "01-01", signedAt: "01-05"), at: "01-05")
        #expect(anomaly(addOn) == nil, "an add-on is owned once")
        let plan = Story().attaches(
            .state(of: "p", .proMonthly, .plan, at: "01-01", until: "02-01", quantity: 2), at: "01-01")
        #expect(anomaly(plan) == nil && plan.status(at: "01-10").entitlements.map(\.quantity) == [1])
    }

    @Test func `a purchase that is not the user's has none`() {
        #expect(anomaly(Story()) == nil)
        #expect(anomaly(Story().records(.state(of: "p", "unknown", at: "01-01"), at: "01-01")) == nil)
        let given = Story().buys("p", "unknown", at: "01-01").givesAway("p", at: "01-05")
        #expect(anomaly(given, at: "01-04") == .unknownProduct && anomaly(given, at: "01-05") == nil)
    }

    @Test func `the catalogue foresees exactly what a purchase turns out to be`() {
        let products: [ProductID] = [
            .pro30, .xyz, .proOnly, .credits100, .proMonthly, .basicMonthly, "nowhere.30", "unknown",
        ]
        let types: [StatedType] = [.consumable, .addOn, .pass, .plan, .unknown("Bond")]
        let lost = Product(id: "nowhere.30", app: .vpn, terms: .pass(tier: "nowhere", days: 30))
        let catalogue = CatalogueVersions(.example(adding: [lost]))
        var foreseen: [Anomaly] = []
        for product in products {
            for type in types {
                for isShared in [false, true] {
                    let story = Story().buys("p", product, at: "01-01", type: type, isFamilyShared: isShared)
                    guard let state = story.ledger.entries.first?.fact.state else {
                        Issue.record("nothing was bought")
                        return
                    }
                    let possible = catalogue.possibleAnomalies(of: state)
                    let anomaly = story.timeline(in: catalogue).anomaly(of: state.key, at: "01-02")
                    #expect(possible == Set([anomaly].compactMap(\.self)), "\(product) \(type) \(isShared)")
                    foreseen += possible
                }
            }
        }
        #expect(foreseen.count == 80 - 8)
        #expect(Set(foreseen) == [.unknownProduct, .productTypeMismatch, .familyShared])
    }

    @Test func `what one version sells otherwise may be that, whenever it was bought`() {
        let state = VerifiedPurchase.state(of: "p", .pro30, at: "01-01")
        let plan = Product(id: .pro30, app: .vpn, terms: .plan(tier: "pro", planID: nil, familyShareable: false))
        let other = Catalogue.example(adding: [plan], without: [.pro30])
        for (later, anomaly) in [
            (.example(), nil), (.example(without: [.pro30]), nil), (other, .productTypeMismatch),
        ] as [(Catalogue, Anomaly?)] {
            let versions = CatalogueVersions(
                first: .init(number: 1, effectiveAt: .distantPast, catalogue: .example()),
                later: [.init(number: 2, effectiveAt: "06-01", catalogue: later)])
            #expect(versions.possibleAnomalies(of: state) == Set([anomaly].compactMap(\.self)))
        }
    }
}

import Testing

@testable import Entitlements

/// Whether the introductory offer of a subscription group is still open (`semantics.md` §7).
struct IntroductoryOfferTests {
    /// The example catalogue, which names a group of its own for a weekly plan.
    private static let catalogue = CatalogueVersions(
        .example(adding: [
            Product(
                id: "pro.weekly", app: .vpn, terms: .plan(tier: "pro", planID: nil, familyShareable: true),
                subscriptionGroup: "weekly")
        ]))

    private static func told(
        _ story: Story, settings: EntitlementSettings = .everyone, at instant: Instant = "01-15"
    ) -> [String] {
        story.status(at: instant, in: catalogue, settings: settings).introductoryOffers.map {
            "\($0.subscriptionGroup) \($0.isOpen ? "open" : "used")"
        }
    }

    private static func period(
        _ id: String, _ product: ProductID = "pro.weekly", in group: String? = "weekly", offer: String? = nil,
        at: Instant = "01-01", until: Instant = "01-08", environment: StoreEnvironment = .production,
        isFamilyShared: Bool = false, signedAt: Instant? = nil
    ) -> VerifiedPurchase {
        .state(
            of: id, product, .plan, transaction: "\(id) \(at.text)", environment: environment, at: at, until: until,
            isFamilyShared: isFamilyShared, offer: offer, group: group, signedAt: signedAt)
    }

    @Test func `a group of the catalogue is open to somebody who never bought from it`() {
        #expect(Self.told(Story()) == ["weekly open"])
        #expect(Self.told(Story().buys("p", at: "01-01")) == ["weekly open"])
        #expect(Story().status(at: "01-15").introductoryOffers == [], "no group is known")
    }

    @Test func `an introductory period uses it up, and no later period gives it back`() {
        let intro = Story().attaches(Self.period("w", offer: "introductory"), at: "01-01")
        #expect(Self.told(intro) == ["weekly used"])
        let later = intro.records(Self.period("w", at: "01-08", until: "01-15"), at: "01-08")
        #expect(Self.told(later) == ["weekly used"])
        #expect(Self.told(intro.refunds("w", at: "01-02")) == ["weekly used"])
    }

    @Test func `another offer, or none, leaves it open`() {
        for offer in [nil, "promotional", "offer_code", "win_back", "introductory.2"] {
            let story = Story().attaches(Self.period("w", offer: offer), at: "01-01")
            #expect(Self.told(story) == ["weekly open"], "\(offer ?? "none")")
        }
    }

    @Test func `groups are apart, and one that only a purchase names is told too`() {
        let story = Story().attaches(Self.period("w", offer: "introductory"), at: "01-01")
            .attaches(Self.period("m", .proMonthly, in: "monthly"), at: "01-01")
            .attaches(Self.period("u", "unknown", in: "unknown", offer: "introductory"), at: "01-01")
            .attaches(Self.period("n", .basicMonthly, in: nil, offer: "introductory"), at: "01-01")
        #expect(Self.told(story) == ["monthly open", "unknown used", "weekly used"])
    }

    @Test func `while a subscription of the group covers or is retried, it is not open`() {
        let story = Story().attaches(Self.period("w"), at: "01-01")
        #expect(Self.told(story, at: "2025-12-31") == ["weekly open"])
        #expect(Self.told(story, at: "01-01") == ["weekly used"])
        #expect(Self.told(story, at: "01-08 23:59:59.999") == ["weekly used"], "in leeway")
        #expect(Self.told(story, at: "01-09") == ["weekly open"])
        let retried = story.states(
            .renewal(VerifiedRenewal(key: .pass("w"), signedAt: "01-08", willRenew: true, isInRetry: true)),
            at: "01-08")
        #expect(Self.told(retried, at: "01-08") == ["weekly used"])
        #expect(Self.told(retried, at: "03-08 23:59:59.999") == ["weekly used"])
        #expect(Self.told(retried, at: "03-09") == ["weekly open"])
        #expect(Self.told(story.withdraws("w", at: "01-03"), at: "01-03") == ["weekly open"])
        let another = Story().attaches(Self.period("m", .proMonthly, in: "monthly"), at: "01-01")
        #expect(Self.told(another, at: "01-02") == ["monthly used", "weekly open"])
        let shared = Self.period("w", .basicMonthly, isFamilyShared: true)
        #expect(Self.told(Story().attaches(shared, at: "01-01"), at: "01-02") == ["weekly used"], "it covers")
        let sandbox = Story().attaches(Self.period("w", environment: .sandbox), at: "01-01")
        #expect(Self.told(sandbox, settings: .production, at: "01-02") == ["weekly open"])
    }

    @Test func `the offer of somebody else in the family does not count`() {
        let shared = Self.period("w", offer: "introductory", isFamilyShared: true)
        #expect(Self.told(Story().attaches(shared, at: "01-01")) == ["weekly open"])
    }

    @Test func `a purchase in the Sandbox counts where the Sandbox counts`() {
        let sandbox = Self.period("w", offer: "introductory", environment: .sandbox)
        let story = Story().attaches(sandbox, at: "01-01")
        #expect(Self.told(story) == ["weekly used"])
        #expect(Self.told(story, settings: EntitlementSettings(sandboxAccess: .nobody)) == ["weekly open"])
    }
}

import Testing

@testable import Entitlements

/// What the entitlement of a plan says beside the others (`semantics.md` §7; `api.md`, "Status").
@Suite struct PlanDetailsTests {
    private static let key = PurchaseKey.pass("w")

    private static func period(
        _ name: String = "1", _ product: ProductID = .proMonthly, at: Instant = "01-01", until: Instant = "02-01",
        isFamilyShared: Bool = false, isUpgraded: Bool = false, offer: String? = nil, milliunits: Int64? = 4990,
        revokedAt: Instant? = nil, signedAt: Instant? = nil
    ) -> VerifiedPurchase {
        .state(
            of: "w", product, .plan, transaction: "t\(name)", period: name, at: at, until: until,
            isFamilyShared: isFamilyShared, isUpgraded: isUpgraded, offer: offer, milliunits: milliunits,
            revocation: revokedAt.map { Revocation(revokedAt: $0, share: 100_000) }, signedAt: signedAt)
    }

    private static func renewal(
        _ willRenew: Bool = true, as product: ProductID? = nil, graceEndsAt: Instant? = nil, isInRetry: Bool = false,
        end: RenewalEnd? = nil, consent: VerifiedRenewal.PriceConsent? = nil, course: VerifiedRenewal.Course? = nil,
        signedAt: Instant = "01-20"
    ) -> Statement {
        .renewal(
            VerifiedRenewal(
                key: key, signedAt: signedAt, willRenew: willRenew, renewsInto: product, graceEndsAt: graceEndsAt,
                isInRetry: isInRetry, end: end, priceConsent: consent, course: course))
    }

    private static func chain(_ states: [VerifiedPurchase] = [period()], _ renewals: Statement...) -> Story {
        let story = states.reduce(Story()) { $0.attaches($1, at: "2027-01-01") }
        return renewals.reduce(story) { $0.states($1, at: "2027-01-01") }
    }

    /// Such as `pro.monthly running, renews as basic.monthly, grace 02-17, in retry, ended cancelled, pending,
    /// introductory trial`, of the one purchase.
    private static func told(_ story: Story, at instant: Instant) throws -> String {
        let entitlement = try #require(story.status(at: instant).entitlements.first)
        let plan = try #require(entitlement.plan)
        #expect((entitlement.willRenew == true) == (plan.renewsAs != nil))
        let parts = [
            "\(entitlement.productID?.text ?? "none") \(entitlement.state.rawValue)",
            plan.renewsAs.map { "renews as \($0)" }, plan.graceEndsAt.map { "grace \($0.text)" },
            plan.isInBillingRetry ? "in retry" : nil, plan.expirationReason.map { "ended \($0.rawValue)" },
            plan.priceConsent?.rawValue, plan.offer, plan.isTrial.map { $0 ? "trial" : nil } ?? "perhaps a trial",
        ]
        return parts.compactMap { $0 }.joined(separator: ", ")
    }

    private func check(
        _ story: Story, at instant: Instant, is expected: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(try Self.told(story, at: instant) == expected, sourceLocation: sourceLocation)
    }

    @Test func `only what a store renews says it`() {
        let others = Story().buys("p", at: "01-01").buys("a", .xyz, at: "01-01", type: .addOn)
            .grants("g", .window(tier: "pro", endsAt: "03-01"), at: "01-01")
        #expect(others.status(at: "01-15").entitlements.map(\.plan) == [nil, nil, nil])
        let unknown = Self.chain([Self.period("1", "pro.weekly")])
        #expect(unknown.status(at: "01-15").entitlements.map(\.plan) == [nil], "it is only recorded")
    }

    @Test func `without a state of its renewal a plan renews as it is, while that may still come`() throws {
        try check(Self.chain(), at: "01-15", is: "pro.monthly running, renews as pro.monthly")
        try check(Self.chain(), at: "02-01", is: "pro.monthly grace, renews as pro.monthly")
        try check(Self.chain(), at: "02-02", is: "pro.monthly finished")
        try check(Self.chain(), at: "2025-12-01", is: "pro.monthly queued, renews as pro.monthly")
    }

    @Test func `renewal off says so, and on again takes it back`() throws {
        let off = Self.chain([Self.period()], Self.renewal(false, as: .proMonthly))
        try check(off, at: "01-25", is: "pro.monthly running")
        try check(off, at: "02-01", is: "pro.monthly finished")
        let on = off.states(Self.renewal(as: .proMonthly, signedAt: "01-21"), at: "2027-01-01")
        try check(on, at: "01-25", is: "pro.monthly running, renews as pro.monthly")
        try check(on, at: "02-01", is: "pro.monthly grace, renews as pro.monthly")
    }

    @Test func `a downgrade at the renewal changes nothing but what follows`() throws {
        let before = Self.chain().status(at: "01-25")
        let story = Self.chain([Self.period()], Self.renewal(as: .basicMonthly))
        try check(story, at: "01-25", is: "pro.monthly running, renews as basic.monthly")
        let after = story.status(at: "01-25")
        #expect(after.tier == before.tier && after.expiresAt == before.expiresAt && after.segments == before.segments)
        #expect(after.features == before.features && after.devices == before.devices)
        // The renewal is published ahead.
        let ahead = story.attaches(
            Self.period("2", .basicMonthly, at: "02-01", until: "03-01", signedAt: "01-31 12:00"), at: "2027-01-01")
        try check(ahead, at: "01-31 18:00", is: "pro.monthly running, renews as basic.monthly")
        #expect(ahead.status(at: "01-31 18:00").tier == "pro")
        try check(ahead, at: "02-01", is: "basic.monthly running, renews as basic.monthly")
        #expect(ahead.status(at: "02-01").tier == "basic")
    }

    @Test func `a product that the catalogue does not know is named as the store names it`() throws {
        let story = Self.chain([Self.period()], Self.renewal(as: "pro.weekly"))
        try check(story, at: "01-25", is: "pro.monthly running, renews as pro.weekly")
    }

    @Test func `an upgrade counts at once`() throws {
        let old = Self.period("1", .basicMonthly, isUpgraded: true, signedAt: "01-10 00:00:01")
        let new = Self.period("2", at: "01-10", until: "02-10")
        let story = Self.chain([old, new], Self.renewal(as: .proMonthly))
        try check(story, at: "01-09", is: "basic.monthly running, renews as pro.monthly")
        try check(story, at: "01-10", is: "pro.monthly running, renews as pro.monthly")
        try check(Self.chain([old], Self.renewal(as: .proMonthly)), at: "01-15", is: "basic.monthly finished")
    }

    @Test func `somebody may come back under another product of the group`() throws {
        let ended = Self.renewal(false, end: .cancelled, signedAt: "02-01")
        let back = Self.period("2", .basicMonthly, at: "04-01", until: "05-01")
        try check(Self.chain([Self.period()], ended), at: "02-01", is: "pro.monthly finished, ended cancelled")
        let story = Self.chain([Self.period(), back], ended)
        try check(story, at: "04-02", is: "basic.monthly running, renews as basic.monthly")
        #expect(story.segments() == ["w 01-01..02-01", "w 04-01..05-01"])
        #expect(story.status(at: "03-01").state == .expired && story.status(at: "04-02").tier == "basic")
    }

    @Test func `grace is told while the store grants it, and retry goes on after it`() throws {
        let story = Self.chain(
            [Self.period()], Self.renewal(as: .proMonthly, graceEndsAt: "02-17", isInRetry: true, signedAt: "02-01"))
        try check(story, at: "01-31", is: "pro.monthly running, renews as pro.monthly, grace 02-17")
        try check(story, at: "02-01", is: "pro.monthly grace, renews as pro.monthly, grace 02-17, in retry")
        try check(story, at: "02-17", is: "pro.monthly billing_retry, renews as pro.monthly, grace 02-17, in retry")
        let over = story.states(Self.renewal(isInRetry: true, signedAt: "02-17"), at: "2027-01-01")
        try check(over, at: "02-17", is: "pro.monthly billing_retry, renews as pro.monthly, in retry")
        let recovered = over.attaches(Self.period("2", at: "02-20", until: "03-20"), at: "2027-01-01")
        try check(recovered, at: "02-20", is: "pro.monthly running, renews as pro.monthly")
        let early = Self.chain([Self.period()], Self.renewal(graceEndsAt: "01-25"))
        try check(early, at: "01-25", is: "pro.monthly running, renews as pro.monthly")
        let none = Self.chain([Self.period()], Self.renewal(graceEndsAt: "02-01"))
        try check(none, at: "01-25", is: "pro.monthly running, renews as pro.monthly")
    }

    @Test(arguments: [
        (RenewalEnd.cancelled, "cancelled"), (.billing, "billing_error"), (.priceIncrease, "price_increase_declined"),
        (.unavailable, "product_unavailable"), (.other("5"), "other"),
    ])
    func `why it ended is told once it has`(end: RenewalEnd, word: String) throws {
        let story = Self.chain([Self.period()], Self.renewal(false, end: end, consent: .pending, signedAt: "02-01"))
        try check(story, at: "01-31 23:59:59.999", is: "pro.monthly running")
        try check(story, at: "02-01", is: "pro.monthly finished, ended \(word)")
        let grace = Self.chain(
            [Self.period()],
            Self.renewal(false, graceEndsAt: "02-17", end: end, course: .grace, signedAt: "02-01"))
        try check(grace, at: "02-16", is: "pro.monthly grace, grace 02-17")
        try check(grace, at: "02-17", is: "pro.monthly finished, grace 02-17, ended \(word)")
    }

    @Test func `a higher price waits for consent`() throws {
        let pending = Self.chain([Self.period()], Self.renewal(as: .proMonthly, consent: .pending))
        try check(pending, at: "01-25", is: "pro.monthly running, renews as pro.monthly, pending")
        let agreed = pending.states(
            Self.renewal(as: .proMonthly, consent: .given, signedAt: "01-22"), at: "2027-01-01")
        try check(agreed, at: "01-25", is: "pro.monthly running, renews as pro.monthly, agreed")
        let renewed = agreed.attaches(Self.period("2", at: "02-01", until: "03-01"), at: "2027-01-01")
        try check(renewed, at: "01-25", is: "pro.monthly running, renews as pro.monthly")
    }

    @Test func `after a refund nothing follows, until it is reversed`() throws {
        let renewal = Self.renewal(as: .basicMonthly, graceEndsAt: "02-17", consent: .pending, signedAt: "01-05")
        let refund = Self.period(revokedAt: "01-10", signedAt: "01-11")
        let refunded = Self.chain([Self.period(), refund], renewal)
        let before = "pro.monthly running, renews as basic.monthly, grace 02-17, pending"
        try check(refunded, at: "01-09", is: before)
        try check(refunded, at: "01-10", is: "pro.monthly revoked")
        let reversed = Self.chain([Self.period(), refund, Self.period(signedAt: "01-20")], renewal)
        try check(reversed, at: "01-15", is: "pro.monthly revoked")
        try check(reversed, at: "01-20", is: before)
    }

    @Test func `an offer is told of the present period, and a trial costs nothing`() throws {
        let trial = Self.period(offer: "introductory", milliunits: 0)
        let paid = Self.period("2", at: "02-01", until: "03-01")
        let story = Self.chain([trial, paid])
        try check(story, at: "01-31", is: "pro.monthly running, renews as pro.monthly, introductory, trial")
        try check(story, at: "02-01", is: "pro.monthly running, renews as pro.monthly")
        let discounted = Self.period(offer: "winter", milliunits: 990)
        try check(Self.chain([discounted]), at: "01-02", is: "pro.monthly running, renews as pro.monthly, winter")
        let unpriced = Self.period(offer: "winter", milliunits: nil)
        try check(
            Self.chain([unpriced]), at: "01-02",
            is: "pro.monthly running, renews as pro.monthly, winter, perhaps a trial")
        let free = Self.period(milliunits: 0)
        try check(Self.chain([free]), at: "01-02", is: "pro.monthly running, renews as pro.monthly")
    }

    @Test func `what a family shares counts where the catalogue allows it, until it is revoked`() throws {
        let shared = Self.period("1", .basicMonthly, isFamilyShared: true)
        try check(Self.chain([shared]), at: "01-15", is: "basic.monthly running, renews as basic.monthly")
        #expect(Self.chain([shared]).status(at: "01-15").tier == "basic")
        let revoked = Self.period("1", .basicMonthly, isFamilyShared: true, revokedAt: "01-10", signedAt: "01-10")
        try check(Self.chain([shared, revoked]), at: "01-10", is: "basic.monthly revoked")
        let refused = Self.chain([Self.period(isFamilyShared: true)]).status(at: "01-15")
        #expect(refused.state == .none && refused.entitlements.map(\.state) == [.recorded])
    }

    @Test func `of what went to another user nothing follows`() throws {
        let story = Self.chain([Self.period()], Self.renewal(as: .basicMonthly, consent: .pending))
            .givesAway("w", at: "2027-02-01")
        let status = story.status(at: "2027-02-01")
        #expect(status.entitlements.map(\.willRenew) == [false])
        #expect(status.entitlements.map(\.plan) == [PlanDetails()])
    }

    @Test func `of states that were signed at once one offer is told, in whatever order they came`() throws {
        let offers: [VerifiedPurchase] = [
            Self.period(), Self.period(offer: "a"), Self.period(offer: "b", milliunits: nil),
            Self.period(offer: "b", milliunits: 990), Self.period(offer: "b", milliunits: 0),
        ]
        for count in 1...offers.count {
            let known = Array(offers.prefix(count))
            let answers = try [known, known.reversed()].map { try Self.told(Self.chain($0), at: "01-02") }
            #expect(answers[0] == answers[1])
            let last = try Self.told(Self.chain([offers[count - 1]]), at: "01-02")
            #expect(answers[0] == last, "the order is that of the list")
        }
    }
}

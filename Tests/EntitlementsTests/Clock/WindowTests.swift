import Entitlements
import Testing

/// Periods of auto-renewable plans (`semantics.md` §7).
@Suite struct WindowTests {
    private static func period(
        _ name: String, _ product: ProductID = .proMonthly, at: Instant, until: Instant, transaction: String? = nil,
        isUpgraded: Bool = false, revokedAt: Instant? = nil, share: Int? = 100_000, signedAt: Instant? = nil
    ) -> VerifiedPurchase {
        .state(
            of: "w", product, .plan, transaction: transaction ?? "t\(name)", period: name, at: at,
            until: until,
            isUpgraded: isUpgraded, revocation: revokedAt.map { Revocation(revokedAt: $0, share: share) },
            signedAt: signedAt)
    }

    private static func chain(_ states: VerifiedPurchase...) -> Story {
        states.reduce(Story()) { $0.attaches($1, at: "03-01") }
    }

    private static let first = period("1", at: "01-01", until: "02-01")

    private func check(
        _ story: Story, covers segments: String..., sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(story.segments() == segments, sourceLocation: sourceLocation)
    }

    @Test func `a period covers from its purchase to its expiry`() {
        check(Self.chain(Self.first), covers: "w 01-01..02-01")
        check(
            Self.chain(Self.first, Self.period("2", at: "02-01", until: "03-01")), covers: "w 01-01..02-01",
            "w 02-01..03-01")
    }

    @Test func `a chain stands where its first period began`() {
        let story = Self.chain(Self.first, Self.period("2", at: "02-01", until: "03-01")).buys("p", at: "01-15")
        #expect(story.status(at: "02-05").entitlements.map(\.key.externalID.text) == ["w", "p"])
    }

    @Test func `a period of no units is one, where no event says that it was taken off`() {
        check(
            Self.chain(.state(of: "w", .proMonthly, .plan, at: "01-01", until: "02-01", quantity: 0)),
            covers: "w 01-01..02-01")
    }

    @Test func `a renewal extends the gap-free coverage`() {
        let story = Self.chain(Self.first, Self.period("2", at: "02-01", until: "03-01"))
        #expect(story.status(at: "01-15").expiresAt == "03-01")
        #expect(story.status(at: "01-15").entitlements.map(\.willRenew) == [true])
    }

    @Test func `copies of a period are one window`() {
        check(
            Self.chain(Self.first, Self.period("1", at: "01-05", until: "02-01", transaction: "copy")),
            covers: "w 01-01..02-01")
    }

    @Test func `the newest state of a period names its expiry`() {
        check(
            Self.chain(Self.period("1", at: "01-01", until: "02-15", signedAt: "01-20"), Self.first),
            covers: "w 01-01..02-15")
    }

    @Test func `of states of a period that were signed at once the later expiry counts`() {
        let longer = Self.period("1", at: "01-01", until: "02-15")
        check(Self.chain(Self.first, longer), covers: "w 01-01..02-15")
        check(Self.chain(longer, Self.first), covers: "w 01-01..02-15")
    }

    @Test func `a period that ends as it begins covers nothing, and has neither leeway nor grace`() {
        let empty = Self.chain(Self.period("1", at: "01-01", until: "01-01"))
        let renewal = VerifiedRenewal(key: .pass("w"), signedAt: "01-01", willRenew: true, graceEndsAt: "01-15")
        for story in [empty, empty.states(.renewal(renewal), at: "03-01")] {
            check(story)
            #expect(story.timeline().graces.isEmpty)
        }
    }

    @Test func `a refund of a period that is over is foreseen, though the next one is known`() {
        let refunded = Self.period("1", at: "01-01", until: "02-01", revokedAt: "02-10", signedAt: "02-11")
        let story = Self.chain(Self.first, refunded, Self.period("2", at: "03-01", until: "04-01"))
        #expect(story.timeline().nextChange(after: "02-05") == "02-10")
        #expect(story.status(at: "02-09").entitlements.map(\.state) == [.finished])
        #expect(story.status(at: "02-10").entitlements.map(\.state) == [.revoked])
    }

    @Test func `a refund ends a period, whatever its share, and a reversal opens it again`() {
        let refunded = Self.period(
            "1", at: "01-01", until: "02-01", revokedAt: "01-10", share: 30000, signedAt: "01-11")
        let reversed = Self.period("1", at: "01-01", until: "02-01", signedAt: "01-20")
        check(Self.chain(Self.first, refunded), covers: "w 01-01..01-10")
        check(Self.chain(Self.first, refunded, reversed), covers: "w 01-01..01-10", "w 01-20..02-01")
        let status = Self.chain(Self.first, refunded).status(at: "01-15")
        #expect(status.entitlements.map(\.state) == [.revoked])
        #expect(status.entitlements.map(\.willRenew) == [false])
        #expect(
            Self.chain(Self.first, refunded).status(at: "02-01 12:00").state == .expired, "no leeway after a refund")
    }

    @Test func `an upgraded period ends at the next one's purchase`() {
        let upgraded = Self.period("1", .basicMonthly, at: "01-01", until: "02-01", isUpgraded: true, signedAt: "01-12")
        let next = Self.period("2", at: "01-10", until: "02-10")
        check(Self.chain(upgraded, next), covers: "w 01-01..01-10", "w 01-10..02-10")
        #expect(Self.chain(upgraded, next).status(at: "01-20").entitlements.map(\.tier) == ["pro"])
    }

    @Test func `without the next period, it ends at the first state that says so`() {
        let said = Self.period("1", at: "01-01", until: "02-01", isUpgraded: true, signedAt: "01-12")
        let again = Self.period("1", at: "01-01", until: "02-01", isUpgraded: true, signedAt: "01-20")
        let story = Self.chain(Self.first, again, said)
        check(story, covers: "w 01-01..01-12")
        #expect(story.status(at: "01-15").explanation.map(\.reason) == [.superseded])
        #expect(story.status(at: "02-01 12:00").state == .expired, "no leeway after an upgrade")
    }

    @Test func `while a renewal may be published late, a period stays covered in grace`() {
        let story = Self.chain(Self.first)
        let before = story.status(at: "01-31 23:59:59.999")
        #expect(before.state == .active && before.expiresAt == "02-01")
        let within = story.status(at: "02-01")
        #expect(within.state == .grace && within.tier == "pro" && within.expiresAt == "02-02")
        #expect(within.entitlements.map(\.state) == [.grace])
        #expect(within.entitlements.map(\.willRenew) == [true])
        let after = story.status(at: "02-02")
        #expect(after.state == .expired && after.expiresAt == "02-02")
        #expect(after.entitlements.map(\.state) == [.finished])
        #expect(after.entitlements.map(\.willRenew) == [false])
    }

    @Test func `leeway is a setting and not in the rows`() {
        let story = Self.chain(Self.first)
        let none = EntitlementSettings(sandboxAccess: .nobody, renewalLeewayHours: 0)
        #expect(story.status(at: "02-01", settings: none).state == .expired)
        #expect(story.timeline().subscriptions.map(\.expiresAt) == ["02-01"])
    }

    @Test func `a period has the leeway that was served, though a later one follows`() {
        let story = Self.chain(Self.first, Self.period("2", at: "02-05", until: "03-05"))
        #expect(story.status(at: "02-01 12:00").state == .grace)
        #expect(story.status(at: "02-02").state == .expired)
        #expect(story.status(at: "02-06").state == .active)
    }

    @Test func `grown from grace and a lower pass, the state follows the tier shown`() {
        let story = Self.chain(Self.first).buys("b", .basic30, at: "01-15")
        let status = story.status(at: "02-01 12:00")
        #expect(status.tier == "pro" && status.state == .grace)
        #expect(status.expiresAt == "02-02" && status.accessExpiresAt == "02-14")
    }

    @Test func `the seats of a plan's name go before its tier's`() {
        #expect(Self.chain(Self.first).status(at: "01-15").devices.allowed == 2)
        let annual = Self.period("1", .annual3, at: "01-01", until: "2027-01-01")
        #expect(Self.chain(annual).status(at: "01-15").devices.allowed == 3)
        let plain = Self.period("1", .basicMonthly, at: "01-01", until: "02-01")
        #expect(Self.chain(plain).status(at: "01-15").devices.allowed == 1)
    }

    @Test(arguments: [
        ("monthly_2", 2), ("annual_3", 3), ("annual_0", nil), ("annual_+3", nil), ("annual_-3", nil), ("weekly_1", nil),
        ("annual_3_1", nil), ("annual", nil), ("annual_", nil), ("annual_10001", nil), ("", nil),
    ])
    func `a plan id names its seats`(text: String, seats: Int?) {
        #expect(PlanID(text)?.seats == seats)
    }

    @Test func `a quarantined or unknown period leaves the others`() {
        let unknown = Self.period("2", "pro.weekly", at: "02-01", until: "02-08")
        check(Self.chain(Self.first, unknown), covers: "w 01-01..02-01")
        let torn = Self.period("1", .annual3, at: "01-01", until: "2027-01-01", transaction: "copy")
        check(Self.chain(Self.first, torn, Self.period("2", at: "02-01", until: "03-01")), covers: "w 02-01..03-01")
        #expect(
            Self.chain(Self.first, torn).timeline().disposition(of: Self.first.key, at: "01-02")
                == .recorded(.quarantined)
        )
    }

    @Test func `a period without an end covers nothing`() {
        let endless = VerifiedPurchase.state(of: "w", .proMonthly, .plan, at: "01-01")
        check(Self.chain(endless))
        #expect(Self.chain(endless).status(at: "01-02").state == .none)
    }

    @Test func `a future chain is queued`() {
        #expect(Self.chain(Self.first).status(at: "2025-12-01").entitlements.map(\.state) == [.queued])
    }
}

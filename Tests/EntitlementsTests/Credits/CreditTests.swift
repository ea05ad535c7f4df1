import Entitlements
import Testing

/// What consumables credited and refunds took back (`semantics.md` §4).
@Suite struct CreditTests {
    private func check(
        _ story: Story, at: Instant, leaves spendable: Int..., sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(story.status(at: at).credits.map(\.spendable) == spendable, sourceLocation: sourceLocation)
        #expect(story.status(at: at).credits.allSatisfy { $0.debt == 0 }, sourceLocation: sourceLocation)
    }

    private static let hundred = Story().buys("c", .credits100, at: "01-01", type: .consumable)

    @Test func `a lot counts from its purchase on and never expires`() {
        check(Self.hundred, at: "2025-12-31")
        check(Self.hundred, at: "01-01", leaves: 100)
        check(Self.hundred, at: "2030-01-01", leaves: 100)
        #expect(Self.hundred.status(at: "2025-12-31").entitlements.map(\.state) == [.queued])
        #expect(Self.hundred.status(at: "01-01").entitlements.map(\.state) == [.running])
    }

    @Test func `a lot that expires as it is given gives nothing`() {
        check(Story().grants("g", 50, until: "01-01", at: "01-01"), at: "01-01")
        check(Story().grants("g", 50, until: "01-01 00:00:00.001", at: "01-01"), at: "01-01", leaves: 50)
    }

    @Test func `lots of one unit add up by unit`() {
        check(
            Self.hundred.buys("d", .credits100, at: "01-02", quantity: 2, type: .consumable)
                .buys("e", .credits1, at: "01-02", type: .consumable), at: "01-03", leaves: 300, 1)
    }

    @Test(arguments: [
        (ProductID.credits1, 3, 66667, 2), (.credits100, 3, 66667, 200), (.credits1, 6, 16667, 1),
    ])
    func `a refund takes its share of the whole lot`(_ product: ProductID, quantity: Int, share: Int, refunded: Int) {
        let story = Story().buys("c", product, at: "01-01", quantity: quantity, type: .consumable)
            .refunds("c", at: "01-02", share: share)
        let credited = story.status(at: "01-01").credits.map(\.spendable)
        #expect(story.status(at: "01-02").credits.map(\.spendable) == credited.map { $0 - refunded })
    }

    @Test func `a state sets the refunded total and adds nothing to it`() {
        let story = Self.hundred.refunds("c", at: "01-02", share: 33333).refunds("c", at: "01-03", share: 66667)
            .reverses("c", signedAt: "01-04")
        check(story, at: "01-02", leaves: 67)
        check(story, at: "01-03", leaves: 33)
        check(story, at: "01-04", leaves: 100)
    }

    @Test func `a full refund revokes the lot`() {
        let story = Self.hundred.refunds("c", at: "01-02")
        check(story, at: "01-02", leaves: 0)
        #expect(story.status(at: "01-02").entitlements.map(\.state) == [.revoked])
        #expect(story.status(at: "01-02").explanation.map(\.reason) == [.revoked])
    }

    @Test func `what comes at the instant of a refund repays in the order of drawing`() {
        let indebted = Story().grants("spent", 50, until: "02-01", at: "01-01").spends(50, at: "01-02")
            .credits("paid", at: "01-05")
        let refundFirst = indebted.takesBack("spent", at: "01-10").grants("promo", 50, until: "03-01", at: "01-10")
        let promoFirst = indebted.grants("promo", 50, until: "03-01", at: "01-10").takesBack("spent", at: "01-10")
        #expect(refundFirst.lots(at: "01-10") == ["paid 100"])
        #expect(promoFirst.lots(at: "01-10") == ["paid 100"])
        #expect(refundFirst.lots(at: "03-01") == ["paid 100"])
    }

    @Test func `large lots do not overflow`() {
        #expect(CreditLot.credited(amount: .max, quantity: 2) == CreditLot.maximumCredited)
        #expect(CreditLot.credited(amount: 5, quantity: 0) == 0)
        #expect(CreditLot.refunded(of: CreditLot.maximumCredited, share: 99_999) == 999_990_000_000)
    }
}

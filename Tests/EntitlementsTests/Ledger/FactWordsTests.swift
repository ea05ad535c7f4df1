import Entitlements
import Testing

/// Facts in plain words, as timelines tell them.
struct FactWordsTests {
    private static func text(_ fact: Fact) -> String {
        fact.sentence { $0 == "01-01" ? "2026-01-01" : "2026-01-10" }
    }

    @Test(
        arguments: [
            (100_000, "whole on 2026-01-10."), (33_333, "on 2026-01-10, 33.333 % of its price."),
            (50_000, "on 2026-01-10, 50 % of its price."), (5_500, "on 2026-01-10, 5.5 % of its price."),
            (40, "on 2026-01-10, 0.04 % of its price."), (0, "on 2026-01-10, 0 % of its price."),
            (nil, "on 2026-01-10, how much of it is unclear: it counts as all."),
            (100_001, "on 2026-01-10, how much of it is unclear: it counts as all."),
        ] as [(Int?, String)])
    func `a refund says how much of the price it is`(share: Int?, words: String) {
        let state = VerifiedPurchase.state(
            of: "p", at: "01-01", revocation: Revocation(revokedAt: "01-10", share: share), signedAt: "01-10")
        #expect(
            Self.text(.stated(.purchase(state)))
                == "Transaction p of \(ProductID.pro30) was shown as taken back \(words)")
    }

    @Test func `a family's purchase says so`() {
        #expect(
            Self.text(.stated(.purchase(.state(of: "p", at: "01-01", isFamilyShared: true))))
                == "Transaction p of \(ProductID.pro30), shared by the family, was shown as bought on 2026-01-01 "
                + "and not taken back."
        )
    }

    @Test func `several passes of one transaction say how many, and seats of a plan do not`() {
        let passes = VerifiedPurchase.state(of: "p", at: "01-01", quantity: 2)
        #expect(Self.text(.stated(.purchase(passes))).hasPrefix("Transaction p of 2 × \(ProductID.pro30) was"))
        let seats = VerifiedPurchase.state(of: "p", .pro30, .plan, at: "01-01", quantity: 2)
        #expect(Self.text(.stated(.purchase(seats))).hasPrefix("Transaction p of \(ProductID.pro30) was"))
    }

    @Test(arguments: [
        (30 * Instant.millisecondsPerDay, "30 days"), (Instant.millisecondsPerDay, "1 day"),
        (36 * Instant.millisecondsPerHour, "36 hours"), (Instant.millisecondsPerHour, "1 hour"),
    ])
    func `a grant says its length in the largest whole unit`(length: Int64, words: String) {
        let grant = Grant(key: .grant("g"), gift: .pass(tier: "pro", length: length), grantedAt: "01-01")
        #expect(Self.text(.granted(grant)) == "An operator gave \(words) of pro.")
        #expect(Self.text(.bound(grant.key)) == "Grant g became the user's.")
        #expect(Self.text(.withdrawn(grant.key)) == "An operator took grant g back.")
    }

    @Test(
        arguments: [
            (.window(tier: "pro", endsAt: "01-10"), "pro until 2026-01-10"),
            (.addOn(.xyz, app: .vpn), "the add-on \(ProductID.xyz)"),
            (.credits(unit: "coin", amount: 5, expiresAt: nil), "5 of coin"),
            (.credits(unit: "coin", amount: 5, expiresAt: "01-10"), "5 of coin until 2026-01-10"),
        ] as [(Grant.Gift, String)])
    func `a grant says what it gives`(gift: Grant.Gift, words: String) {
        let grant = Grant(key: .grant("g"), gift: gift, grantedAt: "01-01")
        #expect(Self.text(.granted(grant)) == "An operator gave \(words).")
    }

    @Test(
        arguments: [
            (.init(key: .pass("p"), signedAt: "01-01", willRenew: true), "renewing."),
            (.init(key: .pass("p"), signedAt: "01-01", willRenew: true, renewsInto: "pro"), "renewing as pro."),
            (
                .init(
                    key: .pass("p"), signedAt: "01-01", willRenew: true, graceEndsAt: "01-10", isInRetry: true,
                    priceConsent: .pending),
                "renewing; its payment is tried again; it goes on without payment until 2026-01-10; "
                    + "a higher price is not agreed to yet."
            ),
            (
                .init(key: .pass("p"), signedAt: "01-01", willRenew: false, end: .cancelled),
                "not renewing; it ended because it was cancelled."
            ),
            (
                .init(key: .pass("p"), signedAt: "01-01", willRenew: false, end: .billing),
                "not renewing; it ended because it could not be paid."
            ),
            (
                .init(key: .pass("p"), signedAt: "01-01", willRenew: false, end: .priceIncrease, priceConsent: .given),
                "not renewing; it ended because a higher price was not agreed to; a higher price is agreed to."
            ),
            (
                .init(key: .pass("p"), signedAt: "01-01", willRenew: false, end: .unavailable),
                "not renewing; it ended because the product was not for sale any more."
            ),
            (
                .init(key: .pass("p"), signedAt: "01-01", willRenew: false, end: .other("5")),
                "not renewing; it ended (5)."
            ),
        ] as [(VerifiedRenewal, String)])
    func `the state of a renewal says what will follow`(renewal: VerifiedRenewal, words: String) {
        #expect(Self.text(.stated(.renewal(renewal))) == "Purchase p was shown as \(words)")
        #expect(Fact.stated(.renewal(renewal)).kindText == "renewal")
    }

    @Test func `consent is told as given and as taken back`() {
        #expect(Self.text(.consumptionConsent(true)) == "The user allowed to tell Apple about their consumption.")
        #expect(Self.text(.consumptionConsent(false)) == "The user forbade to tell Apple about their consumption.")
    }

    @Test(arguments: [
        (Handover(cause: .operator, units: 40), " with 40 units, by an operator."),
        (
            Handover(cause: .policy, ran: 12 * Instant.millisecondsPerDay),
            " after it had run for 12 days, because the same Apple account sent it."
        ),
        (
            Handover(cause: .merge, ran: 59_000 + 59 * 60_000),
            " after it had run for 59 minutes, because a guest's account was merged."
        ),
        (Handover(cause: .operator), ", by an operator."),
        (Handover(cause: .operator, ran: 59_999), ", by an operator."),
        (Handover(cause: .operator, units: 1), " with 1 unit, by an operator."),
        (Handover(cause: .reclaim), ", because the same Apple account claimed what an erased person had."),
    ])
    func `a handover says how much went`(handover: Handover, words: String) {
        #expect(Self.text(.gaveAway(.pass("p"), handover)) == "The rest of purchase p went to another user\(words)")
        #expect(Self.text(.received(.pass("p"), handover)) == "The rest of purchase p came from another user\(words)")
    }
}

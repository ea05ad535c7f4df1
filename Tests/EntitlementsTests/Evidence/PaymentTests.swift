import Entitlements
import Testing

/// What was paid for a purchase, from amounts that tell one payment several times.
@Suite struct PaymentTests {
    private typealias Step = Payment.Step

    private static func step(
        _ origin: String, _ number: String, _ kind: PaymentAmount.Kind? = nil, paid: Int64? = nil, back: Int64 = 0,
        in currency: String? = "EUR", isRaw: Bool = false, day: Int64 = 0
    ) -> Payment.Step {
        let at = Instant(milliseconds: day)
        let amount = kind.map {
            PaymentAmount(
                number, $0, of: origin, paid: paid, refunded: back, currency: currency, isRaw: isRaw, madeAt: at,
                toldAt: at)
        }
        return Step(from: origin, to: number, amount)
    }

    /// Such as `in_1 9990 back 0 EUR`, the last made first.
    private static func words(_ payments: [Payment]) -> [String] {
        payments.map { payment in
            "\(payment.number) \(payment.paid.map { "\($0)" } ?? "?") back \(payment.refunded) "
                + (payment.currency ?? "-") + (payment.isRaw ? " raw" : "")
        }
    }

    /// The root, the steps, and the payments that they come to in any order.
    private static let vectors: [(root: String, steps: [Payment.Step], payments: [String])] = [
        ("pi_1", [step("pi_1", "pi_1")], []),
        ("pi_1", [step("pi_1", "cs_1", .checkout, paid: 9_990)], ["pi_1 9990 back 0 EUR"]),
        ("cs_1", [step("cs_1", "cs_1", .checkout, paid: 0)], ["cs_1 0 back 0 EUR"]),
        (
            "pi_1",
            [step("pi_1", "cs_1", .checkout, paid: 9_990), step("pi_1", "ch_1", .charge, paid: 5_000, back: 10)],
            ["pi_1 5000 back 10 EUR"]
        ),
        (
            "pi_1",
            [
                step("pi_1", "cs_1", .checkout, paid: 9_990), step("pi_1", "ch_0", .charge),
                step("pi_1", "ch_1", .charge, paid: 9_990), step("ch_1", "re_1", .refund, back: 10),
            ], ["pi_1 9990 back 0 EUR"]
        ),
        ("pi_1", [step("pi_1", "ch_1", .charge), step("pi_1", "ch_2", .charge)], []),
        (
            "pi_1", [step("pi_1", "ch_1", .charge, back: 5), step("pi_1", "cs_1", .checkout, paid: 9)],
            ["pi_1 9 back 5 EUR"]
        ),
        ("pi_1", [step("pi_1", "ch_1", .charge, back: 5)], ["pi_1 ? back 5 EUR"]),
        (
            "pi_1",
            [
                step("pi_1", "cs_1", .checkout, paid: 9),
                step("pi_1", "ch_1", .charge, paid: 7, in: "XTS", isRaw: true),
            ], ["pi_1 7 back 0 XTS raw", "pi_1 9 back 0 EUR"]
        ),
        (
            "pi_1",
            [step("pi_1", "ch_1", .charge, paid: 7, in: "XTS", isRaw: true), step("pi_1", "ch_2", .charge, paid: 5)],
            ["pi_1 7 back 0 XTS raw", "pi_1 5 back 0 EUR"]
        ),
        ("pi_1", [step("pi_1", "ch_1", .charge, paid: 7, in: nil, isRaw: true)], ["pi_1 7 back 0 - raw"]),
        (
            "pi_1", [step("pi_1", "ch_1", .charge, paid: .max), step("pi_1", "ch_2", .charge, paid: 1)],
            ["pi_1 \(Int64.max) back 0 EUR"]
        ),
        // A subscription: its checkout, two invoices, of which one has a charge that is told by two ways.
        (
            "sub_1",
            [
                step("sub_1", "cs_1", .checkout, paid: 999), step("sub_1", "in_1", .invoice, paid: 1_000, day: 1),
                step("sub_1", "in_2", .invoice, paid: 2_000, day: 2), step("in_1", "pi_1"), step("in_1", "ch_1"),
                step("pi_1", "ch_1", .charge, paid: 1_000, back: 300, day: 1),
            ], ["in_2 2000 back 0 EUR", "in_1 1000 back 300 EUR"]
        ),
        ("sub_1", [step("sub_1", "cs_1", .checkout, paid: 999)], ["sub_1 999 back 0 EUR"]),
        // Of the two charges of an invoice one is known, then both.
        (
            "sub_1",
            [
                step("sub_1", "in_1", .invoice, paid: 2_000), step("in_1", "pi_1"),
                step("pi_1", "ch_1", .charge, paid: 1_000, back: 1_000),
            ], ["in_1 2000 back 1000 EUR"]
        ),
        (
            "sub_1",
            [
                step("sub_1", "in_1", .invoice, paid: 2_000), step("in_1", "pi_1"), step("in_1", "pi_2"),
                step("pi_1", "ch_1", .charge, paid: 1_000, back: 1_000),
                step("pi_2", "ch_2", .charge, paid: 1_000, back: 1),
            ], ["in_1 2000 back 1001 EUR"]
        ),
        // Numbers that lead in a circle end.
        (
            "a", [step("a", "b"), step("b", "a"), step("b", "c", .charge, paid: 1), step("c", "b")],
            ["a 1 back 0 EUR"]
        ),
    ]

    @Test func `a payment that is told several times counts once, in any order of what is known`() {
        for (root, steps, payments) in Self.vectors {
            let all = steps + [Self.step(root, root, nil)].filter { _ in !steps.contains { $0.number == root } }
            for _ in 0..<10 {
                #expect(Self.words(Payment.all(for: root, by: all.shuffled())) == payments)
            }
        }
    }

    // MARK: States

    private static func state(
        _ id: String, period: String? = nil, _ type: StatedType = .plan, price: Int64? = 4_990, share: Int? = nil,
        signed: Int64 = 0, day: Int64 = 0, isFamilyShared: Bool = false, event: String? = nil
    ) -> VerifiedPurchase {
        VerifiedPurchase(
            key: PurchaseKey(
                source: .appleIAP, app: AppID("a"), environment: .production, externalID: ExternalID("1")),
            transactionID: TransactionID(id), periodID: period, productID: ProductID("p"), type: type,
            purchasedAt: Instant(milliseconds: day), isFamilyShared: isFamilyShared,
            price: price.map { Price(milliunits: $0, currency: "USD") },
            revocation: share.map { Revocation(revokedAt: Instant(milliseconds: 0), share: $0) },
            signedAt: Instant(milliseconds: signed), eventID: event)
    }

    private static let states: [([VerifiedPurchase], [String])] = [
        ([], []),
        ([state("1", .pass)], ["1 4990 back 0 USD"]),
        ([state("1", .pass, price: nil)], []),
        ([state("1", .pass, isFamilyShared: true)], []),
        ([state("1", .pass, event: "evt_1")], []),
        ([state("1", .pass), state("1", .pass, share: 33_333, signed: 1)], ["1 4990 back 1663 USD"]),
        (
            [state("1", .pass, share: 100_000, signed: 1), state("1", .pass, signed: 2), state("1", .pass)],
            ["1 4990 back 0 USD"]
        ),
        // A restored copy is the same purchase.
        ([state("1", .addOn), state("copy", .addOn, signed: 1)], ["copy 4990 back 0 USD"]),
        (
            [
                state("1", period: "w1"), state("2", period: "w2", price: 5_990, day: 30),
                state("2", period: "w2", price: 5_990, share: 100_000, signed: 9, day: 30), state("3", day: 60),
            ], ["3 4990 back 0 USD", "2 5990 back 5990 USD", "1 4990 back 0 USD"]
        ),
        ([state("1", .pass, price: .max, share: 99_999)], ["1 \(Int64.max) back 9223279803134407259 USD"]),
    ]

    @Test func `a price in states counts once for each period, and as the newest state shows it`() {
        for (states, payments) in Self.states {
            for _ in 0..<5 { #expect(Self.words(Payment.all(shownBy: states.shuffled())) == payments) }
        }
    }
}

import Entitlements
import StoreSimulator
import StripeBilling
import Support
import Testing

/// What events tell of money, in whatever currency (`stripe.md` §7).
@Suite struct PaymentAmountTests {
    private static let start: Int64 = 1_767_225_600

    private static func amount(
        _ type: String, in currency: String = "usd", _ object: CardJSON, shape: CardAccount.Shape = .new
    ) throws -> PaymentAmount? {
        let event = CardAccount(shape, tag: "t", currency: currency).event(1, type, at: start, object)
        return try VerifiedEvent.read(stored: event.body).amount
    }

    /// Such as `charge ch_1 of pi_1: 9990 back 0 EUR`; raw amounts are marked.
    private static func words(_ amount: PaymentAmount?) -> String {
        guard let amount else { return "nothing" }
        let paid = amount.paid.map { "\($0)" } ?? "unpaid"
        return "\(amount.kind) \(amount.number) of \(amount.target ?? "nothing"): \(paid) back \(amount.refunded) "
            + (amount.currency ?? "of no currency") + (amount.isRaw ? " raw" : "")
    }

    // MARK: Currencies

    /// Currency, price and a partial refund in the smallest unit, and both in thousandths.
    static let vectors: [(currency: String, price: Int64, part: Int64, thousandths: Int64, refunded: Int64)] = [
        ("usd", 1_999, 500, 19_990, 5_000),
        ("jpy", 1_000, 250, 1_000_000, 250_000),
        ("kwd", 12_340, 1_230, 12_340, 1_230),
        ("isk", 500_000, 100_000, 5_000_000, 1_000_000),
        ("ugx", 370_000, 100, 3_700_000, 1_000),
        ("krw", 9_900, 1, 9_900_000, 1_000),
        ("bhd", 10, 10, 10, 10),
        ("USD", 1, 1, 10, 10),
    ]

    @Test(arguments: vectors)
    func `amounts are in thousandths of the unit, a part that goes back too`(
        currency: String, price: Int64, part: Int64, thousandths: Int64, refunded: Int64
    ) throws {
        let shop = CardAccount(tag: "t", currency: currency, price: price)
        let code = currency.uppercased()
        let paid = try Self.amount("checkout.session.completed", shop.session("payment", intent: "pi_1"))
        #expect(Self.words(paid) == "checkout cs_t_pi_1 of pi_1: \(thousandths) back 0 \(code)")
        let charge = try Self.amount("charge.refunded", shop.charge("pi_1", refunded: part))
        #expect(Self.words(charge) == "charge ch_pi_1 of pi_1: \(thousandths) back \(refunded) \(code)")
        let invoice = try Self.amount(
            "invoice.paid", shop.invoice("in_1", from: Self.start, until: Self.start + 1, intent: "pi_1"))
        #expect(Self.words(invoice) == "invoice in_1 of sub_t: \(thousandths) back 0 \(code)")
        let refund = try Self.amount("refund.created", shop.refund("pi_1", "succeeded", of: part))
        #expect(Self.words(refund) == "refund re_pi_1 of ch_pi_1: unpaid back \(refunded) \(code)")
    }

    @Test(arguments: ["xts", "xyz", "usdc", "xxx", "xau", "us", "clf"])
    func `of a code that is no currency the number is kept as it is`(currency: String) throws {
        let shop = CardAccount(tag: "t", currency: currency, price: 1_234)
        let told = try Self.amount("charge.refunded", shop.charge("pi_1", refunded: 34))
        #expect(Self.words(told) == "charge ch_pi_1 of pi_1: 1234 back 34 \(currency.uppercased()) raw")
    }

    @Test(arguments: [nil, "", "two words", "€"] as [String?])
    func `a code that cannot be one is none`(currency: String?) throws {
        let object = CardAccount(tag: "t").charge("pi_1", refunded: 0).with(["currency": CardJSON(currency)])
        #expect(try Self.words(Self.amount("charge.succeeded", object)).hasSuffix("999 back 0 of no currency raw"))
    }

    @Test func `what does not fit into thousandths is kept as it is`() throws {
        let most = CardAccount(tag: "t", currency: "jpy", price: .max / 1_000)
        #expect(
            try Self.words(Self.amount("charge.succeeded", most.charge("pi_1", refunded: 1)))
                == "charge ch_pi_1 of pi_1: \(Int64.max / 1_000 * 1_000) back 1000 JPY")
        let more = CardAccount(tag: "t", currency: "jpy", price: .max / 1_000 + 1)
        #expect(
            try Self.words(Self.amount("charge.succeeded", more.charge("pi_1", refunded: 1)))
                == "charge ch_pi_1 of pi_1: \(Int64.max / 1_000 + 1) back 1 JPY raw")
    }

    // MARK: Objects

    private static let shop = CardAccount(tag: "t")

    private static func invoice(_ members: CardJSON) -> CardJSON {
        shop.invoice("in_1", from: start, until: start + 1, intent: "pi_1").with(members)
    }

    /// Objects, whatever their event, and what they tell.
    private static let told: [(object: CardJSON, words: String)] = [
        (shop.session("payment", paid: "unpaid", intent: "pi_1"), "nothing"),
        (shop.session("payment", paid: "no_payment_required"), "checkout cs_t_payment of nothing: 9990 back 0 EUR"),
        (shop.session("subscription"), "checkout cs_t_subscription of sub_t: 9990 back 0 EUR"),
        (shop.session("setup").with(["amount_total": nil]), "nothing"),
        (shop.charge("pi_1", refunded: 0, captured: 500), "charge ch_pi_1 of pi_1: 5000 back 0 EUR"),
        (shop.charge("pi_1", refunded: 0, captured: 0), "charge ch_pi_1 of pi_1: unpaid back 0 EUR"),
        (
            shop.charge("pi_1", refunded: 5).with(["amount_captured": nil]),
            "charge ch_pi_1 of pi_1: 9990 back 50 EUR"
        ),
        (shop.charge("pi_1", refunded: 0).with(["payment_intent": nil]), "charge ch_pi_1 of nothing: 9990 back 0 EUR"),
        (
            shop.charge("pi_1", refunded: 0).with(["payment_intent": nil, "invoice": "in_1"]),
            "charge ch_pi_1 of in_1: 9990 back 0 EUR"
        ),
        (shop.charge("pi_1", refunded: 0).with(["id": "py_1"]), "charge py_1 of pi_1: 9990 back 0 EUR"),
        (shop.charge("pi_1", refunded: 0).with(["amount_refunded": "many", "amount_captured": 0]), "nothing"),
        (invoice(["amount_paid": 0]), "invoice in_1 of sub_t: 0 back 0 EUR"),
        (invoice(["amount_paid": 0, "status": "open"]), "nothing"),
        (invoice(["amount_paid": 5, "status": "open"]), "invoice in_1 of sub_t: 50 back 0 EUR"),
        (invoice(["parent": nil]), "invoice in_1 of nothing: 9990 back 0 EUR"),
        (invoice(["parent": nil, "subscription": "sub_old"]), "invoice in_1 of sub_old: 9990 back 0 EUR"),
        (invoice(["id": nil]), "nothing"),
        (invoice(["id": "in 1"]), "nothing"),
        (invoice(["amount_paid": "9"]), "nothing"),
        (shop.refund("pi_1", "pending"), "refund re_pi_1 of ch_pi_1: unpaid back 0 EUR"),
        (shop.refund("pi_1", "failed"), "refund re_pi_1 of ch_pi_1: unpaid back 0 EUR"),
        (shop.refund("pi_1", "succeeded").with(["charge": nil]), "refund re_pi_1 of pi_1: unpaid back 9990 EUR"),
        (shop.dispute("pi_1", "lost"), "nothing"),
        (shop.invoicePayment("in_1", intent: "pi_1"), "nothing"),
        (shop.subscription("active", from: start, until: start + 1), "nothing"),
        (["id": "cus_1", "object": "customer"], "nothing"),
        ([:], "nothing"),
    ]

    @Test func `each object tells what was paid and what went back, whatever its event`() throws {
        for (object, words) in Self.told {
            for type in ["charge.refunded", "invoice.updated", "brand.new"] {
                #expect(try Self.words(Self.amount(type, object)) == words, "\(object.json)")
            }
        }
        let old = CardAccount(.old, tag: "t").invoice("in_1", from: Self.start, until: Self.start + 1, intent: "pi_1")
        let told = try Self.amount("invoice.paid", old, shape: .old)
        #expect(Self.words(told) == "invoice in_1 of sub_t: 9990 back 0 EUR")
    }

    @Test func `an amount was made when its object was, and told when its event was`() throws {
        let charge = Self.shop.charge("pi_1", refunded: 0)
        let told = try #require(try Self.amount("charge.updated", charge.with(["created": 1_700_000_000])))
        #expect(told.madeAt == Instant(milliseconds: 1_700_000_000_000))
        #expect(told.toldAt == Instant(milliseconds: Self.start * 1_000))
        #expect(try Self.amount("charge.updated", charge)?.madeAt == told.toldAt)
    }

    @Test func `a thin event tells nothing, and one with too many names tells its money all the same`() throws {
        let thin = #"{"id":"evt_1","object":"v2.core.event","type":"x","livemode":true,"amount":5}"#
        #expect(try VerifiedEvent.read(stored: thin).amount == nil)
        let names = CardJSON.object((0..<2_000).map { ("n\($0)", .null) })
        let charge = Self.shop.charge("pi_1", refunded: 0).with(["metadata": names])
        let event = Self.shop.event(1, "charge.succeeded", at: Self.start, charge)
        let read = try VerifiedEvent.read(stored: event.body)
        #expect(read.content == .ignored(.unreadable))
        #expect(Self.words(read.amount) == "charge ch_pi_1 of pi_1: 9990 back 0 EUR")
    }
}

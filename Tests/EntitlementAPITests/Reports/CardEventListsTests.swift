import Entitlements
import LedgerStore
import MariaDB
import StoreSimulator
import StrictJSON
import Support
import Testing

@testable import EntitlementAPI

/// Every kind of event that a card account sends, and what operators see of it.
struct CardEventListsTests {
    private static let list = "/api/admin/purchases"
    private static let start = Fixture.now.milliseconds / 1_000 - 86_400
    private static let end = start + 30 * 86_400

    /// The events of an account, what became of the last of them, and what it leaves: rows of purchases, reasons of
    /// anomalies, and numbers with an amount.
    struct Kind: Sendable {
        let name: String
        let events: @Sendable (CardAccount) -> [(type: String, object: CardJSON)]
        let outcome: String
        var purchases: [String] = []
        var anomalies: [String] = []
        var amounts: [String] = []
    }

    private static let bought = "card.pass (plink_pass) of u1: 9990 EUR back 0"
    private static let month = "card.month (price_pro) of u1: 9990 EUR back 0"
    private static let unpaidMonth = "card.month (price_pro) of u1: "

    private static func session(_ shop: CardAccount, user: String? = "u1", with members: CardJSON = [:]) -> CardJSON {
        shop.session(
            "payment", user: user, intent: "pi_1", with: (["payment_link": "plink_pass"] as CardJSON).with(members))
    }

    private static func invoice(
        _ shop: CardAccount, price: String = "price_pro", isPaid: Bool = true
    ) -> CardJSON {
        shop.invoice("in_1", from: start, until: end, intent: "pi_1", price: price, isPaid: isPaid)
    }

    private static func subscription(
        _ shop: CardAccount, _ status: String = "active", with members: CardJSON = [:]
    ) -> CardJSON {
        shop.subscription(status, from: start, until: end, user: "u1", with: members)
    }

    private static func purchase(_ more: [(String, CardJSON)], _ shop: CardAccount) -> [(
        type: String, object: CardJSON
    )] {
        [("checkout.session.completed", session(shop))] + more.map { (type: $0.0, object: $0.1) }
    }

    private static func plan(_ more: [(String, CardJSON)], _ shop: CardAccount) -> [(type: String, object: CardJSON)] {
        [("customer.subscription.created", subscription(shop))] + more.map { (type: $0.0, object: $0.1) }
    }

    static let kinds: [Kind] = oneTimeKinds + planKinds + otherKinds

    private static let oneTimeKinds: [Kind] = [
        Kind(
            name: "checkout.session.completed, paid", events: { [("checkout.session.completed", session($0))] },
            outcome: "applied", purchases: [bought], amounts: ["checkout cs_t_pi_1 9990 0"]),
        Kind(
            name: "the same, nobody's", events: { [("checkout.session.completed", session($0, user: nil))] },
            outcome: "parked no_user", purchases: ["card.pass (plink_pass) of nobody: 9990 EUR back 0"],
            anomalies: ["unowned"], amounts: ["checkout cs_t_pi_1 9990 0"]),
        Kind(
            name: "the same, of an unmapped link",
            events: { [("checkout.session.completed", session($0, with: ["payment_link": "plink_new"]))] },
            outcome: "applied", purchases: ["? (plink_new) of u1: 9990 EUR back 0"], anomalies: ["unknown_product"],
            amounts: ["checkout cs_t_pi_1 9990 0"]),
        Kind(
            name: "the same, of an unmapped link and nobody's",
            events: { [("checkout.session.completed", session($0, user: nil, with: ["payment_link": "plink_new"]))] },
            outcome: "parked no_user", purchases: ["? (plink_new) of nobody: 9990 EUR back 0"], anomalies: ["unowned"],
            amounts: ["checkout cs_t_pi_1 9990 0"]),
        Kind(
            name: "the same, that names no product",
            events: { [("checkout.session.completed", session($0, with: ["payment_link": nil]))] },
            outcome: "applied", purchases: ["? (?) of u1: 9990 EUR back 0"], anomalies: ["unknown_product"],
            amounts: ["checkout cs_t_pi_1 9990 0"]),
        Kind(
            name: "checkout.session.completed, not paid",
            events: { [("checkout.session.completed", session($0, with: ["payment_status": "unpaid"]))] },
            outcome: "ignored unpaid"),
        Kind(
            name: "checkout.session.async_payment_succeeded",
            events: { [("checkout.session.async_payment_succeeded", session($0))] },
            outcome: "applied", purchases: [bought], amounts: ["checkout cs_t_pi_1 9990 0"]),
        Kind(
            name: "checkout.session.async_payment_failed",
            events: {
                [("checkout.session.async_payment_failed", session($0, with: ["payment_status": "unpaid"]))]
            }, outcome: "ignored"),
        Kind(
            name: "charge.succeeded", events: { purchase([("charge.succeeded", $0.charge("pi_1", refunded: 0))], $0) },
            outcome: "ignored", purchases: [bought], amounts: ["charge ch_pi_1 9990 0", "checkout cs_t_pi_1 9990 0"]),
        Kind(
            name: "charge.refunded, a part",
            events: { purchase([("charge.refunded", $0.charge("pi_1", refunded: 250))], $0) },
            outcome: "applied", purchases: ["card.pass (plink_pass) of u1: 9990 EUR back 2500"],
            amounts: ["charge ch_pi_1 9990 2500", "checkout cs_t_pi_1 9990 0"]),
        Kind(
            name: "charge.refunded, all of what was captured",
            events: { purchase([("charge.refunded", $0.charge("pi_1", refunded: 500, captured: 500))], $0) },
            outcome: "applied", purchases: ["card.pass (plink_pass) of u1: 5000 EUR back 5000"],
            amounts: ["charge ch_pi_1 5000 5000", "checkout cs_t_pi_1 9990 0"]),
        Kind(
            name: "charge.refunded, before its payment",
            events: { [("charge.refunded", $0.charge("pi_1", refunded: 250))] },
            outcome: "parked no_purchase", amounts: ["charge ch_pi_1 9990 2500"]),
        Kind(
            name: "refund.created",
            events: { purchase([("refund.created", $0.refund("pi_1", "succeeded", of: 250))], $0) },
            outcome: "ignored", purchases: [bought], amounts: ["checkout cs_t_pi_1 9990 0", "refund re_pi_1 ? 2500"]),
        Kind(
            name: "refund.failed",
            events: {
                purchase(
                    [
                        ("refund.created", $0.refund("pi_1", "succeeded")),
                        ("charge.refunded", $0.charge("pi_1", refunded: 999)),
                        ("refund.failed", $0.refund("pi_1", "failed")),
                        ("charge.refund.updated", $0.refund("pi_1", "failed")),
                    ], $0)
            }, outcome: "ignored refund_failed",
            purchases: ["card.pass (plink_pass) of u1: 9990 EUR back 9990"],
            amounts: ["charge ch_pi_1 9990 9990", "checkout cs_t_pi_1 9990 0", "refund re_pi_1 ? 0"]),
        Kind(
            name: "charge.dispute.created",
            events: { purchase([("charge.dispute.created", $0.dispute("pi_1", "needs_response"))], $0) },
            outcome: "applied disputed", purchases: [bought], amounts: ["checkout cs_t_pi_1 9990 0"]),
        Kind(
            name: "charge.dispute.closed, lost",
            events: { purchase([("charge.dispute.closed", $0.dispute("pi_1", "lost"))], $0) },
            outcome: "applied", purchases: [bought], amounts: ["checkout cs_t_pi_1 9990 0"]),
    ]

    private static let planKinds: [Kind] = [
        Kind(
            name: "customer.subscription.created", events: { plan([], $0) }, outcome: "applied",
            purchases: [unpaidMonth]),
        Kind(
            name: "checkout.session.completed of a subscription",
            events: {
                plan([("checkout.session.completed", $0.session("subscription", user: "u1"))], $0)
            }, outcome: "duplicate", purchases: [month], amounts: ["checkout cs_t_subscription 9990 0"]),
        Kind(
            name: "the same without its subscription",
            events: { [("checkout.session.completed", $0.session("subscription", user: "u1"))] },
            outcome: "applied", purchases: ["? (?) of u1: 9990 EUR back 0"],
            amounts: ["checkout cs_t_subscription 9990 0"]),
        Kind(
            name: "invoice.paid", events: { plan([("invoice.paid", invoice($0))], $0) }, outcome: "applied",
            purchases: [month], amounts: ["invoice in_1 9990 0"]),
        Kind(
            name: "invoice.paid, after the session",
            events: {
                plan(
                    [
                        ("checkout.session.completed", $0.session("subscription", user: "u1")),
                        ("invoice.paid", invoice($0)),
                    ], $0)
            }, outcome: "applied", purchases: [month],
            amounts: ["checkout cs_t_subscription 9990 0", "invoice in_1 9990 0"]),
        Kind(
            name: "invoice.payment_failed",
            events: { plan([("invoice.payment_failed", invoice($0, isPaid: false))], $0) }, outcome: "applied",
            purchases: [unpaidMonth]),
        Kind(
            name: "invoice.paid of nothing that is sold here",
            events: { [("invoice.paid", invoice($0).with(["parent": nil]))] }, outcome: "ignored",
            amounts: ["invoice in_1 9990 0"]),
        Kind(
            name: "invoice_payment.paid and charge.refunded",
            events: {
                plan(
                    [
                        ("invoice.paid", invoice($0)),
                        ("invoice_payment.paid", $0.invoicePayment("in_1", intent: "pi_1")),
                        ("charge.refunded", $0.charge("pi_1", refunded: 250)),
                    ], $0)
            }, outcome: "applied", purchases: ["card.month (price_pro) of u1: 9990 EUR back 2500"],
            amounts: ["charge ch_pi_1 9990 2500", "invoice in_1 9990 0"]),
        Kind(
            name: "customer.subscription.updated, of an unmapped price",
            events: {
                [
                    (
                        "customer.subscription.updated",
                        $0.subscription("active", from: start, until: end, price: "price_new", user: "u1")
                    ), ("invoice.paid", invoice($0, price: "price_new")),
                ]
            }, outcome: "applied", purchases: ["? (price_new) of u1: 9990 EUR back 0"], anomalies: ["unknown_product"],
            amounts: ["invoice in_1 9990 0"]),
        Kind(
            name: "the same, nobody's",
            events: {
                [
                    (
                        "customer.subscription.updated",
                        $0.subscription("active", from: start, until: end, price: "price_new")
                    ), ("invoice.paid", invoice($0, price: "price_new")),
                ]
            }, outcome: "parked no_user", purchases: ["? (price_new) of nobody: 9990 EUR back 0"],
            anomalies: ["unowned"], amounts: ["invoice in_1 9990 0"]),
        Kind(
            name: "customer.subscription.deleted",
            events: {
                plan([("customer.subscription.deleted", subscription($0, "canceled"))], $0)
            }, outcome: "applied", purchases: [unpaidMonth]),
        Kind(
            name: "customer.subscription.paused",
            events: { plan([("customer.subscription.paused", subscription($0, "paused"))], $0) },
            outcome: "applied", purchases: [unpaidMonth]),
    ]

    private static let otherKinds: [Kind] =
        [
            "checkout.session.expired", "customer.deleted", "payment_intent.succeeded",
            "entitlements.active_entitlement_summary.updated",
        ].map { type in
            Kind(name: type, events: { _ in [(type, ["id": "x_1", "object": "x"])] }, outcome: "ignored")
        } + [
            Kind(
                name: "checkout.session.completed of a setup",
                events: {
                    [("checkout.session.completed", $0.session("setup").with(["amount_total": nil]))]
                }, outcome: "ignored"),
            Kind(
                name: "customer.updated",
                events: { _ in
                    [("customer.updated", ["id": "cus_t", "object": "customer", "metadata": ["user_id": "u1"]])]
                },
                outcome: "applied"),
            Kind(
                name: "a new type", events: { [("charge.brand_new", $0.charge("pi_1", refunded: 0))] },
                outcome: "ignored unknown_type", amounts: ["charge ch_pi_1 9990 0"]),
        ]

    @Test(arguments: kinds.indices)
    func `each kind of card event leaves its purchase, its money and its anomaly in the lists`(
        place: Int
    ) async throws {
        let kind = Self.kinds[place]
        try await TestServer.runWithCards { server in
            let shop = CardAccount(tag: "t")
            let events = kind.events(shop).enumerated().map { number, event in
                shop.event(number, event.type, at: Self.start + Int64(number), event.object)
            }
            try await server.deliver(events)
            let delivery = try #require(try await server.rows("/api/admin/webhooks").first)
            let outcome = [delivery["state"]?.string, delivery["reason"]?.string].compactMap(\.self)
            #expect(outcome.joined(separator: " ") == kind.outcome, "\(kind.name)")
            #expect(try await server.rows(Self.list).map(TestServer.words) == kind.purchases, "\(kind.name)")
            let anomalies = try await server.rows("/api/admin/anomalies").compactMap { $0["reason"]?.string }
            #expect(anomalies == kind.anomalies, "\(kind.name)")
            let amounts = try await server.open.schema.rows(
                """
                SELECT CONCAT_WS(' ', kind, number, COALESCE(paid, '?'), refunded) FROM payment_amounts
                ORDER BY number
                """)
            #expect(amounts == kind.amounts.map { [.text($0)] }, "\(kind.name)")
        }
    }
}

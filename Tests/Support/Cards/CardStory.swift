package import StoreSimulator

/// What a card account tells of one customer, in the order in which it happened, and how it ends
/// (`semantics.md` §7). Days are counted from `start`, in seconds.
package struct CardStory: Sendable {
    /// An event, and on which day it was made.
    struct Telling: Sendable {
        let number: Int
        let type: String
        let day: Int64
        let object: CardJSON

        init(_ number: Int, _ type: String, at day: Int64, _ object: CardJSON) {
            self.number = number
            self.type = type
            self.day = day
            self.object = object
        }
    }

    package let name: String
    /// What covers in the end: tier, first and last day, of each piece.
    package let covers: [String]
    /// The same if all events are made in the first second of `dayOfAll`; nil where nobody asks.
    package let coversAtOnce: [String]?
    private let dayOfAll: Int64
    private let shop: CardAccount
    private let start: Int64
    private let tellings: [Telling]

    init(
        _ name: String, of shop: CardAccount, from start: Int64, _ tellings: [Telling], covers: [String],
        onDay dayOfAll: Int64 = 0, coversAtOnce: [String]? = nil
    ) {
        self.name = name
        self.shop = shop
        self.start = start
        self.tellings = tellings
        self.covers = covers
        self.dayOfAll = dayOfAll
        self.coversAtOnce = coversAtOnce
    }

    static let day: Int64 = 86_400

    /// Each made when it happened.
    package var events: [CardAccount.Event] { tellings.map { event($0, on: $0.day) } }

    /// All made in one second, as when a store makes up for what it could not send.
    package var eventsAtOnce: [CardAccount.Event] { tellings.map { event($0, on: dayOfAll) } }

    /// Each made on the day of its place in `order`.
    package func events(madeIn order: [Int]) -> [CardAccount.Event] {
        order.enumerated().map { event(tellings[$0.element], on: Int64($0.offset)) }
    }

    private func event(_ telling: Telling, on day: Int64) -> CardAccount.Event {
        shop.event(telling.number, telling.type, at: start + day * Self.day, telling.object)
    }

    typealias Teller = (CardAccount, _ user: String, _ start: Int64) -> CardStory

    /// One story for each name, each of an account and a user of its own, whose first purchase is made at `start`.
    package static func all(
        of account: (String) -> CardAccount, for user: (String) -> String, from start: Int64
    ) -> [CardStory] {
        let tellers: [(String, Teller)] =
            [
                ("life", life), ("trial", trial), ("refunds", refunds), ("lost", lost), ("kept", kept), ("won", won),
                ("appealed", appealed), ("invoiced", invoiced), ("pause", pause), ("upgrade", upgrade),
            ] + tellersOfMoney
        return tellers.map { name, tell in tell(account(name), user(name), start) }
    }

    /// Bought, paid, renewed, failed, recovered, cancelled at once, and the last payment refunded.
    private static func life(_ shop: CardAccount, _ user: String, _ start: Int64) -> CardStory {
        let at = { (days: Int64) in start + days * day }
        let (invoice, intent) = ("in_\(shop.tag)", "pi_\(shop.tag)")
        return CardStory(
            "life", of: shop, from: start,
            [
                Telling(
                    1, "checkout.session.completed", at: 0,
                    shop.session("subscription", user: user, customer: shop.customer)),
                Telling(
                    2, "customer.subscription.created", at: 0,
                    shop.subscription("active", from: at(0), until: at(30))),
                Telling(
                    3, "customer.subscription.updated", at: 30,
                    shop.subscription("active", from: at(30), until: at(60))),
                Telling(
                    4, "customer.subscription.updated", at: 31,
                    shop.subscription("past_due", from: at(30), until: at(60))),
                Telling(
                    5, "customer.subscription.updated", at: 34,
                    shop.subscription("active", from: at(30), until: at(60))),
                Telling(
                    6, "invoice.paid", at: 34, shop.invoice(invoice, from: at(30), until: at(60), intent: intent)),
                Telling(
                    7, shop.shape == .new ? "invoice_payment.paid" : "invoice.payment_succeeded", at: 34,
                    shop.shape == .new
                        ? shop.invoicePayment(invoice, intent: intent)
                        : shop.invoice(invoice, from: at(30), until: at(60), intent: intent)),
                Telling(
                    8, "customer.subscription.deleted", at: 50,
                    shop.subscription(
                        "canceled", from: at(30), until: at(60),
                        with: ["ended_at": .number(at(50)), "canceled_at": .number(at(50))])),
                Telling(9, "charge.refunded", at: 45, shop.charge(intent, refunded: 999, invoice: invoice)),
            ],
            covers: ["pro 0..30", "pro 30..45"], onDay: 40, coversAtOnce: ["pro 0..30", "pro 30..40"])
    }

    /// A trial that becomes a paid subscription.
    private static func trial(_ shop: CardAccount, _ user: String, _ start: Int64) -> CardStory {
        let at = { (days: Int64) in start + days * day }
        let ends: CardJSON = ["trial_start": .number(at(0)), "trial_end": .number(at(7))]
        return CardStory(
            "trial", of: shop, from: start,
            [
                Telling(
                    1, "customer.subscription.created", at: 0,
                    shop.subscription("trialing", from: at(0), until: at(7), user: user, with: ends)),
                Telling(
                    2, "invoice.paid", at: 0,
                    shop.invoice("in_\(shop.tag)", from: at(0), until: at(7), intent: "pi_0")),
                Telling(
                    3, "customer.subscription.trial_will_end", at: 4,
                    shop.subscription("trialing", from: at(0), until: at(7), user: user, with: ends)),
                Telling(
                    4, "customer.subscription.updated", at: 7,
                    shop.subscription(
                        "active", from: at(7), until: at(37), user: user,
                        with: ends.with(["cancel_at_period_end": true]))),
            ],
            covers: ["pro 0..7", "pro 7..37"], onDay: 0, coversAtOnce: ["pro 0..7", "pro 7..37"])
    }

    /// A pass, refunded in two parts and then whole.
    private static func refunds(_ shop: CardAccount, _ user: String, _ start: Int64) -> CardStory {
        let intent = "pi_\(shop.tag)"
        return CardStory(
            "refunds", of: shop, from: start,
            [
                Telling(
                    1, "checkout.session.completed", at: 0,
                    shop.session("payment", user: user, intent: intent, with: ["payment_link": "plink_pass"])),
                Telling(2, "charge.refunded", at: 3, shop.charge(intent, refunded: 333)),
                Telling(3, "charge.refunded", at: 6, shop.charge(intent, refunded: 666)),
                Telling(4, "charge.refunded", at: 8, shop.charge(intent, refunded: 999)),
                Telling(5, "refund.updated", at: 9, shop.refund(intent, "succeeded")),
                Telling(6, "refund.failed", at: 10, shop.refund(intent, "failed")),
            ],
            covers: ["pro 0..8"], onDay: 0, coversAtOnce: [])
    }

    /// A pass whose charge is disputed and lost.
    private static func lost(_ shop: CardAccount, _ user: String, _ start: Int64) -> CardStory {
        let intent = "pi_\(shop.tag)"
        return CardStory(
            "lost", of: shop, from: start,
            [
                Telling(
                    1, "checkout.session.completed", at: 0,
                    shop.session("payment", user: user, intent: intent, with: ["payment_link": "plink_pass"])),
                Telling(2, "charge.dispute.created", at: 5, shop.dispute(intent, "needs_response")),
                Telling(3, "charge.dispute.updated", at: 6, shop.dispute(intent, "under_review")),
                Telling(4, "charge.dispute.closed", at: 12, shop.dispute(intent, "lost")),
            ],
            covers: ["pro 0..12"], onDay: 0, coversAtOnce: [])
    }

    /// A pass whose charge is disputed, and won: it runs on.
    private static func kept(_ shop: CardAccount, _ user: String, _ start: Int64) -> CardStory {
        let intent = "pi_\(shop.tag)"
        return CardStory(
            "kept", of: shop, from: start,
            [
                Telling(
                    1, "checkout.session.completed", at: 0,
                    shop.session("payment", user: user, intent: intent, with: ["payment_link": "plink_pass"])),
                Telling(2, "charge.dispute.created", at: 5, shop.dispute(intent, "needs_response")),
                Telling(3, "charge.dispute.updated", at: 6, shop.dispute(intent, "under_review")),
                Telling(4, "charge.dispute.closed", at: 12, shop.dispute(intent, "won")),
            ],
            covers: ["pro 0..30"], onDay: 2, coversAtOnce: ["pro 2..32"])
    }

    /// A pass whose charge is disputed and lost; the appeal that is open changes nothing.
    private static func appealed(_ shop: CardAccount, _ user: String, _ start: Int64) -> CardStory {
        let intent = "pi_\(shop.tag)"
        return CardStory(
            "appealed", of: shop, from: start,
            [
                Telling(
                    1, "checkout.session.completed", at: 0,
                    shop.session("payment", user: user, intent: intent, with: ["payment_link": "plink_pass"])),
                Telling(2, "charge.dispute.created", at: 5, shop.dispute(intent, "needs_response")),
                Telling(3, "charge.dispute.closed", at: 12, shop.dispute(intent, "lost")),
                Telling(4, "charge.dispute.updated", at: 14, shop.dispute(intent, "appeal_needs_response")),
                Telling(5, "charge.dispute.updated", at: 16, shop.dispute(intent, "appeal_under_review")),
            ],
            covers: ["pro 0..12"], onDay: 0, coversAtOnce: [])
    }

    /// A pass whose charge is disputed, lost, and won on appeal: what had not run runs from then on.
    private static func won(_ shop: CardAccount, _ user: String, _ start: Int64) -> CardStory {
        let intent = "pi_\(shop.tag)"
        return CardStory(
            "won", of: shop, from: start,
            [
                Telling(
                    1, "checkout.session.async_payment_succeeded", at: 0,
                    shop.session("payment", user: user, intent: intent, with: ["payment_link": "plink_pass"])),
                Telling(2, "charge.dispute.created", at: 5, shop.dispute(intent, "needs_response")),
                Telling(3, "charge.dispute.closed", at: 12, shop.dispute(intent, "lost")),
                Telling(4, "charge.dispute.closed", at: 20, shop.dispute(intent, "won")),
            ],
            covers: ["pro 0..12", "pro 20..38"], onDay: 0, coversAtOnce: [])
    }

    /// A pass for which the shop has an invoice made, and whose payment goes back.
    private static func invoiced(_ shop: CardAccount, _ user: String, _ start: Int64) -> CardStory {
        let (invoice, intent) = ("in_\(shop.tag)", "pi_\(shop.tag)")
        return CardStory(
            "invoiced", of: shop, from: start,
            [
                Telling(
                    1, "checkout.session.completed", at: 0,
                    shop.session("payment", user: user, intent: intent, with: ["payment_link": "plink_pass"])),
                Telling(2, "invoice_payment.paid", at: 0, shop.invoicePayment(invoice, intent: intent)),
                Telling(3, "charge.refunded", at: 8, shop.charge(intent, refunded: 999, invoice: invoice)),
            ],
            covers: ["pro 0..8"], onDay: 0, coversAtOnce: [])
    }

    /// Paused, and resumed with a period that begins then.
    private static func pause(_ shop: CardAccount, _ user: String, _ start: Int64) -> CardStory {
        let at = { (days: Int64) in start + days * day }
        return CardStory(
            "pause", of: shop, from: start,
            [
                Telling(
                    1, "customer.subscription.created", at: 0,
                    shop.subscription("active", from: at(0), until: at(30), user: user)),
                Telling(
                    2, "customer.subscription.paused", at: 10,
                    shop.subscription("paused", from: at(0), until: at(30), user: user)),
                Telling(
                    3, "customer.subscription.resumed", at: 20,
                    shop.subscription("active", from: at(20), until: at(50), user: user)),
                Telling(
                    4, "customer.subscription.updated", at: 21,
                    shop.subscription(
                        "active", from: at(20), until: at(50), user: user,
                        with: ["pause_collection": ["behavior": "void"], "cancel_at_period_end": true])),
            ],
            covers: ["pro 0..10", "pro 20..50"], onDay: 5, coversAtOnce: ["pro 0..20", "pro 20..50"])
    }

    /// Basic, upgraded to pro within the period, and back at the next.
    private static func upgrade(_ shop: CardAccount, _ user: String, _ start: Int64) -> CardStory {
        let at = { (days: Int64) in start + days * day }
        return CardStory(
            "upgrade", of: shop, from: start,
            [
                Telling(
                    1, "customer.subscription.created", at: 0,
                    shop.subscription("active", from: at(0), until: at(30), price: "price_basic", user: user)),
                Telling(
                    2, "customer.subscription.updated", at: 10,
                    shop.subscription("active", from: at(0), until: at(30), user: user)),
                Telling(
                    3, "invoice.paid", at: 10,
                    shop.invoice(
                        "in_\(shop.tag)", from: at(10), until: at(30), intent: "pi_\(shop.tag)", isProration: true)),
                Telling(
                    4, "customer.subscription.updated", at: 30,
                    shop.subscription("active", from: at(30), until: at(60), price: "price_basic", user: user)),
                Telling(
                    5, "customer.subscription.updated", at: 40,
                    shop.subscription(
                        "active", from: at(30), until: at(60), price: "price_basic", user: user,
                        with: ["cancel_at_period_end": true])),
            ],
            covers: ["basic 0..10", "pro 10..30", "basic 30..60"], onDay: 4,
            coversAtOnce: ["basic 0..4", "pro 4..30", "basic 30..60"])
    }
}

package import StoreSimulator

/// What a card account tells of one customer, in the order in which it happened, and how it ends
/// (`semantics.md` §7). Days are counted from `start`, in seconds.
package struct CardStory: Sendable {
    package let name: String
    package let events: [CardAccount.Event]
    /// What covers in the end: tier, first and last day, of each piece.
    package let covers: [String]

    private static let day: Int64 = 86_400

    /// All that are told of the subscription or payment of `account` for `user`, whose first purchase is made at
    /// `start`.
    package static func all(
        of account: @escaping @Sendable (String) -> CardAccount, for user: String, from start: Int64
    ) -> [CardStory] {
        [
            life(account("life"), user, start), trial(account("trial"), user, start),
            refunds(account("refunds"), user, start), lost(account("lost"), user, start),
            won(account("won"), user, start), pause(account("pause"), user, start),
            upgrade(account("upgrade"), user, start),
        ]
    }

    /// Bought, paid, renewed, failed, recovered, cancelled at once, and the last payment refunded.
    private static func life(_ shop: CardAccount, _ user: String, _ start: Int64) -> CardStory {
        let at = { (days: Int64) in start + days * day }
        let (invoice, intent) = ("in_\(shop.tag)", "pi_\(shop.tag)")
        return CardStory(
            name: "life",
            events: [
                shop.event(
                    1, "checkout.session.completed", at: at(0),
                    shop.session("subscription", user: user, customer: shop.customer)),
                shop.event(
                    2, "customer.subscription.created", at: at(0),
                    shop.subscription("active", from: at(0), until: at(30))),
                shop.event(
                    3, "customer.subscription.updated", at: at(30),
                    shop.subscription("active", from: at(30), until: at(60))),
                shop.event(
                    4, "customer.subscription.updated", at: at(31),
                    shop.subscription("past_due", from: at(30), until: at(60))),
                shop.event(
                    5, "customer.subscription.updated", at: at(34),
                    shop.subscription("active", from: at(30), until: at(60))),
                shop.event(
                    6, "invoice.paid", at: at(34), shop.invoice(invoice, from: at(30), until: at(60), intent: intent)),
                shop.event(
                    7, shop.shape == .new ? "invoice_payment.paid" : "invoice.payment_succeeded", at: at(34),
                    shop.shape == .new
                        ? shop.invoicePayment(invoice, intent: intent)
                        : shop.invoice(invoice, from: at(30), until: at(60), intent: intent)),
                shop.event(
                    8, "customer.subscription.deleted", at: at(50),
                    shop.subscription(
                        "canceled", from: at(30), until: at(60),
                        with: ["ended_at": .number(at(50)), "canceled_at": .number(at(50))])),
                shop.event(9, "charge.refunded", at: at(45), shop.charge(intent, refunded: 999, invoice: invoice)),
            ],
            covers: ["pro 0..30", "pro 30..45"])
    }

    /// A trial that becomes a paid subscription.
    private static func trial(_ shop: CardAccount, _ user: String, _ start: Int64) -> CardStory {
        let at = { (days: Int64) in start + days * day }
        let ends: CardJSON = ["trial_start": .number(at(0)), "trial_end": .number(at(7))]
        return CardStory(
            name: "trial",
            events: [
                shop.event(
                    1, "customer.subscription.created", at: at(0),
                    shop.subscription("trialing", from: at(0), until: at(7), user: user, with: ends)),
                shop.event(
                    2, "invoice.paid", at: at(0),
                    shop.invoice("in_\(shop.tag)", from: at(0), until: at(7), intent: "pi_0")),
                shop.event(
                    3, "customer.subscription.trial_will_end", at: at(4),
                    shop.subscription("trialing", from: at(0), until: at(7), user: user, with: ends)),
                shop.event(
                    4, "customer.subscription.updated", at: at(7),
                    shop.subscription(
                        "active", from: at(7), until: at(37), user: user,
                        with: ends.with(["cancel_at_period_end": true]))),
            ],
            covers: ["pro 0..7", "pro 7..37"])
    }

    /// A pass, refunded in two parts and then whole.
    private static func refunds(_ shop: CardAccount, _ user: String, _ start: Int64) -> CardStory {
        let at = { (days: Int64) in start + days * day }
        let intent = "pi_\(shop.tag)"
        return CardStory(
            name: "refunds",
            events: [
                shop.event(
                    1, "checkout.session.completed", at: at(0),
                    shop.session("payment", user: user, intent: intent, with: ["payment_link": "plink_pass"])),
                shop.event(2, "charge.refunded", at: at(3), shop.charge(intent, refunded: 333)),
                shop.event(3, "charge.refunded", at: at(6), shop.charge(intent, refunded: 666)),
                shop.event(4, "charge.refunded", at: at(8), shop.charge(intent, refunded: 999)),
                shop.event(5, "refund.updated", at: at(9), shop.refund(intent, "succeeded")),
                shop.event(6, "refund.failed", at: at(10), shop.refund(intent, "failed")),
            ],
            covers: ["pro 0..8"])
    }

    /// A pass whose charge is disputed and lost.
    private static func lost(_ shop: CardAccount, _ user: String, _ start: Int64) -> CardStory {
        let at = { (days: Int64) in start + days * day }
        let intent = "pi_\(shop.tag)"
        return CardStory(
            name: "lost",
            events: [
                shop.event(
                    1, "checkout.session.completed", at: at(0),
                    shop.session("payment", user: user, intent: intent, with: ["payment_link": "plink_pass"])),
                shop.event(2, "charge.dispute.created", at: at(5), shop.dispute(intent, "needs_response")),
                shop.event(3, "charge.dispute.updated", at: at(6), shop.dispute(intent, "under_review")),
                shop.event(4, "charge.dispute.closed", at: at(12), shop.dispute(intent, "lost")),
            ],
            covers: ["pro 0..12"])
    }

    /// A pass whose charge is disputed, lost, and won on appeal: what had not run runs from then on.
    private static func won(_ shop: CardAccount, _ user: String, _ start: Int64) -> CardStory {
        let at = { (days: Int64) in start + days * day }
        let intent = "pi_\(shop.tag)"
        return CardStory(
            name: "won",
            events: [
                shop.event(
                    1, "checkout.session.async_payment_succeeded", at: at(0),
                    shop.session("payment", user: user, intent: intent, with: ["payment_link": "plink_pass"])),
                shop.event(2, "charge.dispute.created", at: at(5), shop.dispute(intent, "needs_response")),
                shop.event(3, "charge.dispute.closed", at: at(12), shop.dispute(intent, "lost")),
                shop.event(4, "charge.dispute.closed", at: at(20), shop.dispute(intent, "won")),
            ],
            covers: ["pro 0..12", "pro 20..38"])
    }

    /// Paused, and resumed with a period that begins then.
    private static func pause(_ shop: CardAccount, _ user: String, _ start: Int64) -> CardStory {
        let at = { (days: Int64) in start + days * day }
        return CardStory(
            name: "pause",
            events: [
                shop.event(
                    1, "customer.subscription.created", at: at(0),
                    shop.subscription("active", from: at(0), until: at(30), user: user)),
                shop.event(
                    2, "customer.subscription.paused", at: at(10),
                    shop.subscription("paused", from: at(0), until: at(30), user: user)),
                shop.event(
                    3, "customer.subscription.resumed", at: at(20),
                    shop.subscription("active", from: at(20), until: at(50), user: user)),
                shop.event(
                    4, "customer.subscription.updated", at: at(21),
                    shop.subscription(
                        "active", from: at(20), until: at(50), user: user,
                        with: ["pause_collection": ["behavior": "void"], "cancel_at_period_end": true])),
            ],
            covers: ["pro 0..10", "pro 20..50"])
    }

    /// Basic, upgraded to pro within the period, and back at the next.
    private static func upgrade(_ shop: CardAccount, _ user: String, _ start: Int64) -> CardStory {
        let at = { (days: Int64) in start + days * day }
        return CardStory(
            name: "upgrade",
            events: [
                shop.event(
                    1, "customer.subscription.created", at: at(0),
                    shop.subscription("active", from: at(0), until: at(30), price: "price_basic", user: user)),
                shop.event(
                    2, "customer.subscription.updated", at: at(10),
                    shop.subscription("active", from: at(0), until: at(30), user: user)),
                shop.event(
                    3, "invoice.paid", at: at(10),
                    shop.invoice(
                        "in_\(shop.tag)", from: at(10), until: at(30), intent: "pi_\(shop.tag)", isProration: true)),
                shop.event(
                    4, "customer.subscription.updated", at: at(30),
                    shop.subscription("active", from: at(30), until: at(60), price: "price_basic", user: user)),
                shop.event(
                    5, "customer.subscription.updated", at: at(40),
                    shop.subscription(
                        "active", from: at(30), until: at(60), price: "price_basic", user: user,
                        with: ["cancel_at_period_end": true])),
            ],
            covers: ["basic 0..10", "pro 10..30", "basic 30..60"])
    }
}

import StoreSimulator

/// What is paid and what is not, and pauses.
extension CardStory {
    static var tellersOfMoney: [(String, Teller)] {
        let tellers: [(String, (Months) -> CardStory)] = [
            ("items", items), ("change", change), ("cycles", cycles), ("unseen", unseen), ("shared", shared),
            ("resumed", resumed), ("proration", proration), ("split", split),
        ]
        return tellers.map { name, tell in
            (name, { shop, user, start in tell(Months(shop: shop, user: user, start: start)) })
        }
    }

    /// A subscription of months of 30 days, told by the day.
    private struct Months {
        let shop: CardAccount
        let user: String
        let start: Int64

        func at(_ days: Int64) -> Int64 { start + days * CardStory.day }

        /// The invoice's number.
        func number(_ invoice: Int) -> String { "in_\(shop.tag)_\(invoice)" }

        func story(_ name: String, _ tellings: [Telling], covers: [String]) -> CardStory {
            CardStory(name, of: shop, from: start, tellings, covers: covers)
        }

        func month(
            _ status: String = "active", from: Int64 = 0, price: String = "price_pro", owing invoice: Int? = nil,
            isLast: Bool = false, with members: CardJSON = [:]
        ) -> CardJSON {
            let told: CardJSON = [
                "latest_invoice": CardJSON(invoice.map(number)), "cancel_at_period_end": .flag(isLast),
            ]
            return shop.subscription(
                status, from: at(from), until: at(from + 30), price: price, user: user, with: told.with(members))
        }

        func line(
            _ item: String? = nil, from: Int64 = 0, until: Int64? = nil, price: String = "price_pro",
            isProration: Bool = false
        ) -> CardJSON {
            shop.line(item, from: at(from), until: at(until ?? from + 30), price: price, isProration: isProration)
        }

        func invoice(_ invoice: Int, _ lines: CardJSON..., isPaid: Bool) -> CardJSON {
            shop.invoice(number(invoice), of: lines, intent: "pi_\(shop.tag)_\(invoice)", isPaid: isPaid)
        }
    }

    /// Two things in one subscription, of which neither is paid when it renews.
    private static func items(_ shop: Months) -> CardStory {
        let items = { (from: Int64) -> CardJSON in
            let (start, end) = (shop.at(from), shop.at(from + 30))
            return [
                "items": [
                    "data": [
                        shop.shop.item("si_a", from: start, until: end),
                        shop.shop.item("si_b", from: start, until: end, price: "price_basic"),
                    ]
                ]
            ]
        }
        let invoice = { (number: Int, from: Int64, isPaid: Bool) in
            shop.invoice(
                number, shop.line("si_a", from: from), shop.line("si_b", from: from, price: "price_basic"),
                isPaid: isPaid)
        }
        return shop.story(
            "items",
            [
                Telling(1, "customer.subscription.created", at: 0, shop.month(with: items(0))),
                Telling(2, "invoice.paid", at: 0, invoice(1, 0, true)),
                Telling(3, "customer.subscription.updated", at: 30, shop.month(from: 30, with: items(30))),
                Telling(4, "invoice.payment_failed", at: 31, invoice(2, 30, false)),
                Telling(
                    5, "customer.subscription.updated", at: 31,
                    shop.month("past_due", from: 30, owing: 2, with: items(30))),
            ],
            covers: ["pro 0..30", "basic 0..30", "pro 30..44", "basic 30..44"])
    }

    /// A month that is paid, and an upgrade within it that is not.
    private static func change(_ shop: Months) -> CardStory {
        let upgrade = shop.line(from: 19, until: 30, isProration: true)
        return shop.story(
            "change",
            [
                Telling(1, "customer.subscription.created", at: 0, shop.month(price: "price_basic")),
                Telling(
                    2, "invoice.paid", at: 0, shop.invoice(1, shop.line(price: "price_basic"), isPaid: true)),
                Telling(3, "invoice.payment_failed", at: 19, shop.invoice(2, upgrade, isPaid: false)),
                Telling(
                    4, "customer.subscription.updated", at: 19, shop.month("past_due", owing: 2, isLast: true)),
            ],
            covers: ["basic 0..19", "pro 19..30"])
    }

    /// Two periods that are not paid, one after the other.
    private static func cycles(_ shop: Months) -> CardStory {
        shop.story(
            "cycles",
            [
                Telling(1, "customer.subscription.created", at: 0, shop.month()),
                Telling(2, "invoice.paid", at: 0, shop.invoice(1, shop.line(), isPaid: true)),
                Telling(3, "customer.subscription.updated", at: 31, shop.month("past_due", from: 30, owing: 2)),
                Telling(4, "customer.subscription.updated", at: 60, shop.month("past_due", from: 60, owing: 3)),
                Telling(
                    5, "invoice.payment_failed", at: 61, shop.invoice(3, shop.line(from: 60), isPaid: false)),
            ],
            covers: ["pro 0..30", "pro 30..44"])
    }

    /// The first period that is seen is not paid.
    private static func unseen(_ shop: Months) -> CardStory {
        shop.story(
            "unseen",
            [
                Telling(1, "customer.subscription.updated", at: 30, shop.month(from: 30)),
                Telling(2, "customer.subscription.updated", at: 31, shop.month("past_due", from: 30, owing: 2)),
                Telling(
                    3, "invoice.payment_failed", at: 31, shop.invoice(2, shop.line(from: 30), isPaid: false)),
            ],
            covers: ["pro 30..44"])
    }

    /// An upgrade that the next invoice is to charge for, and the payment of the month goes back.
    private static func shared(_ shop: Months) -> CardStory {
        let intent = "pi_\(shop.shop.tag)_1"
        return shop.story(
            "shared",
            [
                Telling(1, "customer.subscription.created", at: 0, shop.month(price: "price_basic")),
                Telling(
                    2, "invoice.paid", at: 0, shop.invoice(1, shop.line(price: "price_basic"), isPaid: true)),
                Telling(
                    3, shop.shop.shape == .new ? "invoice_payment.paid" : "charge.succeeded", at: 0,
                    shop.shop.invoicePayment(shop.number(1), intent: intent)),
                Telling(4, "customer.subscription.updated", at: 10, shop.month(isLast: true)),
                Telling(
                    5, "charge.refunded", at: 15,
                    shop.shop.charge(intent, refunded: CardAccount.amount, invoice: shop.number(1))),
            ],
            covers: ["basic 0..10", "pro 10..15"])
    }

    /// Paused, changed while it is, and resumed within the same period.
    private static func resumed(_ shop: Months) -> CardStory {
        shop.story(
            "resumed",
            [
                Telling(1, "customer.subscription.created", at: 0, shop.month()),
                Telling(2, "customer.subscription.paused", at: 10, shop.month("paused")),
                Telling(3, "customer.subscription.updated", at: 12, shop.month("paused", isLast: true)),
                Telling(4, "customer.subscription.resumed", at: 20, shop.month(isLast: true)),
                Telling(5, "customer.subscription.updated", at: 21, shop.month(isLast: true)),
            ],
            covers: ["pro 0..10", "pro 20..30"])
    }

    /// An upgrade within a month, and what was charged for it goes back: the change stays as it was made.
    private static func proration(_ shop: Months) -> CardStory {
        let intent = "pi_\(shop.shop.tag)_2"
        let upgrade = shop.line(from: 10, until: 30, isProration: true)
        return shop.story(
            "proration",
            [
                Telling(1, "customer.subscription.created", at: 0, shop.month(price: "price_basic")),
                Telling(2, "customer.subscription.updated", at: 10, shop.month(isLast: true)),
                Telling(3, "invoice.paid", at: 10, shop.invoice(2, upgrade, isPaid: true)),
                Telling(
                    4, shop.shop.shape == .new ? "invoice_payment.paid" : "charge.succeeded", at: 10,
                    shop.shop.invoicePayment(shop.number(2), intent: intent)),
                Telling(
                    5, "charge.refunded", at: 15,
                    shop.shop.charge(intent, refunded: CardAccount.amount, invoice: shop.number(2))),
            ],
            covers: ["basic 0..10", "pro 10..30"])
    }

    /// A month that two payments paid: the first goes back, then half of the second, then all of it.
    private static func split(_ shop: Months) -> CardStory {
        let intents = [1, 2].map { "pi_\(shop.shop.tag)_\($0)" }
        let paid = shop.invoice(1, shop.line(), isPaid: true).with(["amount_paid": .number(2 * CardAccount.amount)])
        let payment = shop.shop.shape == .new ? "invoice_payment.paid" : "charge.succeeded"
        let refund = { (intent: String, refunded: Int64) in
            shop.shop.charge(intent, refunded: refunded, invoice: shop.number(1))
        }
        return shop.story(
            "split",
            [
                Telling(1, "customer.subscription.created", at: 0, shop.month(isLast: true)),
                Telling(2, "invoice.paid", at: 0, paid),
                Telling(3, payment, at: 0, shop.shop.invoicePayment(shop.number(1), intent: intents[0])),
                Telling(4, payment, at: 0, shop.shop.invoicePayment(shop.number(1), intent: intents[1])),
                Telling(5, "charge.refunded", at: 10, refund(intents[0], CardAccount.amount)),
                Telling(6, "charge.refunded", at: 12, refund(intents[1], CardAccount.amount / 2)),
                Telling(7, "charge.refunded", at: 15, refund(intents[1], CardAccount.amount)),
            ],
            covers: ["pro 0..15"])
    }
}

package import Entitlements

/// An invoice of a subscription as an event shows it, of either shape: what pays for which periods.
package struct CardInvoice: Hashable, Sendable {
    /// A thing that it charges for.
    package struct Line: Hashable, Sendable {
        /// The item whose period it is for; nil for what is charged beside, such as for a part of a period.
        package let item: String?
        package let price: String
        package let startsAt: Instant

        /// The period that it is for.
        package var period: CardPeriod? { item.map { CardPeriod(item: $0, startsAt: startsAt, price: price) } }
    }

    package let id: String
    package let subscription: String
    /// The subscription's metadata.
    package let metadata: [String: String]
    package let lines: [Line]
    /// True if the invoice was paid, false if it could not be; nil while an event tells neither of all lines.
    package let isPaid: Bool?
    /// How much was paid of it so far, in the smallest unit of the currency.
    package let amountPaid: Int64?
    /// The numbers of its payment; only before 2025-03-31 an invoice says so itself.
    package let paidBy: [String]

    init?(_ object: CardObject) {
        let parent = object["parent"]?["subscription_details"]
        guard let id = object.id,
            let subscription = parent?.identifier("subscription") ?? object.identifier("subscription")
        else { return nil }
        self.id = id
        self.subscription = subscription
        metadata = (parent ?? object["subscription_details"])?.metadata ?? [:]
        lines = object.list("lines").compactMap(Line.init)
        isPaid = Self.isPaid(object)
        amountPaid = object.integer("amount_paid")
        paidBy = ["payment_intent", "charge"].compactMap { object.identifier($0) }
    }

    /// A paid invoice stays paid. An unpaid one counts only where the event shows all its lines.
    private static func isPaid(_ object: CardObject) -> Bool? {
        switch object.text("status") {
        case "paid": true
        case "open", "uncollectible":
            object.integer("attempt_count") ?? 0 > 0 && object["lines"]?.flag("has_more") != true ? false : nil
        default: nil
        }
    }
}

extension CardInvoice.Line {
    /// Nil for what is of no price, and for what gives back.
    fileprivate init?(_ line: CardObject) {
        let details = line["parent"]?["subscription_item_details"]
        guard
            let price = line["pricing"]?["price_details"]?.identifier("price") ?? line.identifier("price")
                ?? line.identifier("plan"),
            let startsAt = line["period"]?.instant("start")
        else { return nil }
        let isOfItem =
            (details != nil || line.text("type") == "subscription") && (details ?? line).flag("proration") != true
        item = isOfItem ? details?.identifier("subscription_item") ?? line.identifier("subscription_item") : nil
        guard item != nil || line.integer("amount") ?? 0 > 0 else { return nil }
        self.price = price
        self.startsAt = startsAt
    }
}

/// A payment of an invoice: what ties a payment intent to it since 2025-03-31.
package struct CardInvoicePayment: Hashable, Sendable {
    package let invoice: String
    package let paidBy: [String]

    init?(_ object: CardObject) {
        guard let invoice = object.identifier("invoice"), let payment = object["payment"] else { return nil }
        self.invoice = invoice
        paidBy = ["payment_intent", "charge"].compactMap { payment.identifier($0) }
    }
}

package import Entitlements

/// An invoice of a subscription, as an event of any API version shows it. Its lines say which periods it charges for.
package struct CardInvoice: Hashable, Sendable {
    /// A line of the invoice.
    package struct Line: Hashable, Sendable {
        /// The subscription item whose period the line charges for; nil for any other line, such as one for a part of a
        /// period.
        package let item: String?
        package let price: String
        package let startsAt: Instant

        /// The period that the line charges for; nil if it is for no item's period.
        package var period: CardPeriod? { item.map { CardPeriod(item: $0, startsAt: startsAt, price: price) } }
    }

    package let id: String
    package let subscription: String
    /// The subscription's metadata.
    package let metadata: [String: String]
    package let lines: [Line]
    /// True if the invoice was paid, false if a payment failed. Nil if nothing was tried yet, or if the event shows
    /// only some lines of an unpaid invoice.
    package let isPaid: Bool?
    /// The amount paid so far, in the smallest unit of the currency.
    package let amountPaid: Int64?
    /// The ids of the payment intent and charge that paid the invoice. Only API versions before 2025-03-31 have them in
    /// the invoice.
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

    /// Reads ``isPaid``. An unpaid invoice also gives nil if the event shows only some of its lines. A paid invoice
    /// gives true in any case, because it stays paid.
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
    /// Reads a line; nil if it has no price or no start. A line without a subscription item also needs a positive
    /// amount, because a line with a negative amount gives money back.
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

/// A payment of an invoice. Since the API version of 2025-03-31 it alone links a payment intent to the invoice.
package struct CardInvoicePayment: Hashable, Sendable {
    package let invoice: String
    package let paidBy: [String]

    init?(_ object: CardObject) {
        guard let invoice = object.identifier("invoice"), let payment = object["payment"] else { return nil }
        self.invoice = invoice
        paidBy = ["payment_intent", "charge"].compactMap { payment.identifier($0) }
    }
}

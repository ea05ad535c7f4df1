/// An invoice of a subscription as an event shows it, of either shape: what pays for which periods.
package struct CardInvoice: Hashable, Sendable {
    package let id: String
    package let customer: String?
    package let subscription: String
    /// That of the subscription.
    package let metadata: [String: String]
    /// The periods that it is for; what an upgrade adds for a part of a period is none.
    package let periods: [CardPeriod]
    /// What paid it; only before 2025-03-31 an invoice says so itself.
    package let paidBy: [String]

    init?(_ object: CardObject) {
        let parent = object["parent"]?["subscription_details"]
        guard let id = object.id,
            let subscription = parent?.identifier("subscription") ?? object.identifier("subscription")
        else { return nil }
        self.id = id
        self.subscription = subscription
        customer = object.identifier("customer")
        metadata = (parent ?? object["subscription_details"])?.metadata ?? [:]
        periods = object.list("lines").compactMap(CardPeriod.init(line:))
        paidBy = ["payment_intent", "charge"].compactMap { object.identifier($0) }
    }
}

extension CardPeriod {
    fileprivate init?(line: CardObject) {
        let details = line["parent"]?["subscription_item_details"]
        guard details != nil || line.text("type") == "subscription" else { return nil }
        guard (details ?? line).flag("proration") != true,
            let item = details?.identifier("subscription_item") ?? line.identifier("subscription_item"),
            let price = line["pricing"]?["price_details"]?.identifier("price") ?? line.identifier("price")
                ?? line.identifier("plan"),
            let startsAt = line["period"]?.instant("start")
        else { return nil }
        self.init(item: item, startsAt: startsAt, price: price)
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

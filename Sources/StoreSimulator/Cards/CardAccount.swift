import Crypto

/// A simulated Stripe account with one customer. It writes events in the shape of an API version (`stripe.md` §4).
package struct CardAccount: Codable, Hashable, Sendable {
    /// The API version in whose shape events are written: before 2025-03-31, or since.
    package enum Shape: String, Codable, Sendable, CaseIterable {
        case old = "2024-06-20"
        case new = "2025-08-27.basil"
    }

    /// An event: its id and its JSON.
    package struct Event: Sendable {
        package let id: String
        package let body: String

        package init(id: String, body: String) {
            self.id = id
            self.body = body
        }

        /// The `Stripe-Signature` header for the event, with one signature for each secret.
        package func header(_ secrets: String..., at seconds: Int64) -> String {
            let signatures = secrets.map { secret in
                let code = HMAC<SHA256>.authenticationCode(
                    for: Array("\(seconds).\(body)".utf8), using: SymmetricKey(data: Array(secret.utf8)))
                return "v1=" + code.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
            }
            return (["t=\(seconds)"] + signatures).joined(separator: ",")
        }
    }

    package let shape: Shape
    /// A part of every id, so that two accounts share no id.
    package let tag: String
    package let isLive: Bool
    /// The code of the currency, in lower-case letters as Stripe writes it.
    package let currency: String
    /// The price of every product, in the smallest unit of the currency.
    package let price: Int64

    package init(
        _ shape: Shape = .new, tag: String, isLive: Bool = true, currency: String = "eur", price: Int64 = amount
    ) {
        self.shape = shape
        self.tag = tag
        self.isLive = isLive
        self.currency = currency
        self.price = price
    }

    /// The price unless an account is made with another one.
    package static let amount: Int64 = 999

    package var customer: String { "cus_" + tag }
    package var subscription: String { "sub_" + tag }

    /// An event about an object. `number` becomes part of its id and so orders the events of one second.
    package func event(_ number: Int, _ type: String, at seconds: Int64, _ object: CardJSON) -> Event {
        let id = "evt_\(tag)_" + String(1_000 + number)
        let body: CardJSON = [
            "id": .text(id), "object": "event", "api_version": .text(shape.rawValue), "created": .number(seconds),
            "data": ["object": object], "livemode": .flag(isLive), "pending_webhooks": 1,
            "request": ["id": nil, "idempotency_key": nil], "type": .text(type),
        ]
        return Event(id: id, body: body.json)
    }

    /// A subscription of one item, with the period from `start` to `end` in seconds since 1970.
    package func subscription(
        _ status: String, from start: Int64, until end: Int64, price: String = "price_pro", item: String? = nil,
        quantity: Int64 = 1, user: String? = nil, with members: CardJSON = [:]
    ) -> CardJSON {
        let period: CardJSON = ["current_period_start": .number(start), "current_period_end": .number(end)]
        let line = self.item(item, from: start, until: end, price: price, quantity: quantity)
        let whole = subscription(status, of: [line], since: start, user: user)
        return (shape == .new ? whole : whole.with(period)).with(members)
    }

    /// A subscription of several items.
    package func subscription(
        _ status: String, of items: [CardJSON], since start: Int64, user: String? = nil, with members: CardJSON = [:]
    ) -> CardJSON {
        let whole: CardJSON = [
            "id": .text(subscription), "object": "subscription", "status": .text(status),
            "customer": .text(customer), "currency": .text(currency), "created": .number(start),
            "start_date": .number(start),
            "items": ["object": "list", "data": .array(items), "has_more": false],
            "cancel_at_period_end": false, "cancel_at": nil, "canceled_at": nil, "ended_at": nil, "trial_start": nil,
            "trial_end": nil, "pause_collection": nil, "livemode": .flag(isLive), "latest_invoice": nil,
            "metadata": CardJSON(user.map { ["user_id": $0] } ?? [:]),
        ]
        return whole.with(members)
    }

    /// An item of a subscription. Only in the new shape does it have a period of its own.
    package func item(
        _ id: String? = nil, from start: Int64, until end: Int64, price: String = "price_pro", quantity: Int64 = 1
    ) -> CardJSON {
        let item: CardJSON = [
            "id": .text(id ?? "si_" + tag), "object": "subscription_item", "quantity": .number(quantity),
            "price": [
                "id": .text(price), "object": "price", "currency": .text(currency), "lookup_key": .text(price + "_key"),
                "product": "prod_1", "metadata": [:], "unit_amount": .number(self.price),
                "recurring": ["interval": "month"],
            ],
        ]
        guard shape == .new else { return item }
        return item.with(["current_period_start": .number(start), "current_period_end": .number(end)])
    }

    /// A checkout session.
    package func session(
        _ mode: String, user: String? = nil, customer: String? = nil, paid: String = "paid", intent: String? = nil,
        with members: CardJSON = [:]
    ) -> CardJSON {
        let whole: CardJSON = [
            "id": .text("cs_\(tag)_\(intent ?? mode)"), "object": "checkout.session", "mode": .text(mode),
            "payment_status": .text(paid), "status": "complete", "client_reference_id": CardJSON(user),
            "customer": CardJSON(customer), "payment_intent": CardJSON(intent), "payment_link": nil,
            "subscription": mode == "subscription" ? .text(subscription) : nil, "amount_total": .number(price),
            "currency": .text(currency), "metadata": [:], "livemode": .flag(isLive),
            "customer_details": ["email": "zoë@example.com", "name": "Zoë"],
        ]
        return whole.with(members)
    }

    /// The invoice `id` of the subscription for one period, paid by `intent`.
    package func invoice(
        _ id: String, from start: Int64, until end: Int64, intent: String, price: String = "price_pro",
        isProration: Bool = false, isPaid: Bool = true, paid: Int64? = nil, user: String? = nil
    ) -> CardJSON {
        invoice(
            id, of: [line(from: start, until: end, price: price, isProration: isProration)], intent: intent,
            isPaid: isPaid, paid: paid, user: user)
    }

    /// An invoice of several lines. `intent` paid it, or failed to if `isPaid` is false. `paid` is the amount if it is
    /// not the price.
    package func invoice(
        _ id: String, of lines: [CardJSON], intent: String, isPaid: Bool = true, paid: Int64? = nil,
        user: String? = nil
    ) -> CardJSON {
        let metadata = CardJSON(user.map { ["user_id": $0] } ?? [:])
        let common: CardJSON = [
            "id": .text(id), "object": "invoice", "customer": .text(customer), "status": isPaid ? "paid" : "open",
            "amount_paid": .number(isPaid ? paid ?? price : 0), "attempt_count": 1,
            "billing_reason": "subscription_cycle", "currency": .text(currency), "customer_email": "zoë@example.com",
            "lines": ["object": "list", "data": .array(lines), "has_more": false],
        ]
        switch shape {
        case .new:
            return common.with([
                "parent": [
                    "type": "subscription_details", "quote_details": nil,
                    "subscription_details": ["subscription": .text(subscription), "metadata": metadata],
                ]
            ])
        case .old:
            return common.with([
                "subscription": .text(subscription), "subscription_details": ["metadata": metadata],
                "payment_intent": .text(intent), "charge": .text("ch_" + intent), "paid": .flag(isPaid),
            ])
        }
    }

    /// A line of an invoice, for a period of an item. If `isProration`, it is what an upgrade adds for a part of a
    /// period.
    package func line(
        _ item: String? = nil, from start: Int64, until end: Int64, price: String = "price_pro",
        isProration: Bool = false, amount: Int64? = nil
    ) -> CardJSON {
        let item = CardJSON.text(item ?? "si_" + tag)
        let common: CardJSON = [
            "id": "il_1", "object": "line_item", "amount": .number(amount ?? self.price),
            "period": ["start": .number(start), "end": .number(end)],
        ]
        let owner: CardJSON = ["subscription": .text(subscription), "proration": .flag(isProration)]
        switch shape {
        case .new where isProration:
            return common.with([
                "parent": [
                    "type": "invoice_item_details", "subscription_item_details": nil,
                    "invoice_item_details": owner.with(["invoice_item": "ii_1"]),
                ],
                "pricing": ["price_details": ["price": .text(price), "product": "prod_1"]],
            ])
        case .new:
            return common.with([
                "parent": [
                    "type": "subscription_item_details", "invoice_item_details": nil,
                    "subscription_item_details": owner.with(["subscription_item": item]),
                ],
                "pricing": ["price_details": ["price": .text(price), "product": "prod_1"]],
            ])
        case .old:
            return common.with(owner).with([
                "type": isProration ? "invoiceitem" : "subscription", "subscription_item": item,
                "price": ["id": .text(price), "object": "price"],
            ])
        }
    }

    /// The object that links a payment to an invoice in the new shape.
    package func invoicePayment(_ invoice: String, intent: String) -> CardJSON {
        [
            "id": .text("inpay_" + invoice), "object": "invoice_payment", "invoice": .text(invoice), "status": "paid",
            "payment": ["type": "payment_intent", "payment_intent": .text(intent)],
        ]
    }

    /// A charge of which `refunded` was refunded, in the smallest unit of the currency.
    package func charge(
        _ intent: String, refunded: Int64, captured: Int64? = nil, invoice: String? = nil
    ) -> CardJSON {
        let charge: CardJSON = [
            "id": .text("ch_" + intent), "object": "charge", "amount": .number(price),
            "amount_captured": .number(captured ?? price), "captured": .flag(captured != 0),
            "amount_refunded": .number(refunded), "refunded": .flag(refunded == price),
            "currency": .text(currency),
            "payment_intent": .text(intent), "customer": .text(customer), "metadata": [:],
            "billing_details": ["email": "zoë@example.com", "address": ["city": "Köln"]],
        ]
        return shape == .old ? charge.with(["invoice": CardJSON(invoice)]) : charge
    }

    package func refund(_ intent: String, _ status: String, of amount: Int64? = nil) -> CardJSON {
        [
            "id": .text("re_" + intent), "object": "refund", "charge": .text("ch_" + intent),
            "payment_intent": .text(intent), "amount": .number(amount ?? price),
            "currency": .text(currency), "status": .text(status),
        ]
    }

    package func dispute(_ intent: String, _ status: String) -> CardJSON {
        [
            "id": .text("dp_" + intent), "object": "dispute", "charge": .text("ch_" + intent),
            "payment_intent": .text(intent), "status": .text(status), "amount": .number(price),
            "currency": .text(currency), "reason": "fraudulent",
        ]
    }
}

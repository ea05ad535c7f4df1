import Crypto

/// A card account that tells of one customer's purchases, in the shape of its API version (`stripe.md` §4).
package struct CardAccount: Codable, Hashable, Sendable {
    /// How events are written: versions before 2025-03-31, and since.
    package enum Shape: String, Codable, Sendable, CaseIterable {
        case old = "2024-06-20"
        case new = "2025-08-27.basil"
    }

    /// One event as it is sent.
    package struct Event: Sendable {
        package let id: String
        package let body: String

        package init(id: String, body: String) {
            self.id = id
            self.body = body
        }

        /// The header that signs it, with one signature for each secret.
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
    /// Stands in the ids of everything, so that two accounts have nothing in common.
    package let tag: String
    package let isLive: Bool

    package init(_ shape: Shape = .new, tag: String, isLive: Bool = true) {
        self.shape = shape
        self.tag = tag
        self.isLive = isLive
    }

    /// What everything costs, in the smallest unit of the currency.
    static let amount: Int64 = 999

    package var customer: String { "cus_" + tag }
    package var subscription: String { "sub_" + tag }

    /// An event about an object; `number` orders its id among those of one second.
    package func event(_ number: Int, _ type: String, at seconds: Int64, _ object: CardJSON) -> Event {
        let id = "evt_\(tag)_" + String(1_000 + number)
        let body: CardJSON = [
            "id": .text(id), "object": "event", "api_version": .text(shape.rawValue), "created": .number(seconds),
            "data": ["object": object], "livemode": .flag(isLive), "pending_webhooks": 1,
            "request": ["id": nil, "idempotency_key": nil], "type": .text(type),
        ]
        return Event(id: id, body: body.json)
    }

    /// A subscription of one item, whose period begins and ends at these seconds.
    package func subscription(
        _ status: String, from start: Int64, until end: Int64, price: String = "price_pro", item: String? = nil,
        quantity: Int64 = 1, user: String? = nil, with members: CardJSON = [:]
    ) -> CardJSON {
        let period: CardJSON = ["current_period_start": .number(start), "current_period_end": .number(end)]
        let line: CardJSON = [
            "id": .text(item ?? "si_" + tag), "object": "subscription_item", "quantity": .number(quantity),
            "price": [
                "id": .text(price), "object": "price", "currency": "eur", "lookup_key": .text(price + "_key"),
                "product": "prod_1", "metadata": [:], "unit_amount": .number(Self.amount),
                "recurring": ["interval": "month"],
            ],
        ]
        let whole: CardJSON = [
            "id": .text(subscription), "object": "subscription", "status": .text(status),
            "customer": .text(customer), "currency": "eur", "created": .number(start), "start_date": .number(start),
            "items": ["object": "list", "data": [shape == .new ? line.with(period) : line], "has_more": false],
            "cancel_at_period_end": false, "cancel_at": nil, "canceled_at": nil, "ended_at": nil, "trial_start": nil,
            "trial_end": nil, "pause_collection": nil, "livemode": .flag(isLive),
            "metadata": CardJSON(user.map { ["user_id": $0] } ?? [:]),
        ]
        return (shape == .new ? whole : whole.with(period)).with(members)
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
            "subscription": mode == "subscription" ? .text(subscription) : nil, "amount_total": .number(Self.amount),
            "currency": "eur", "metadata": [:], "livemode": .flag(isLive),
            "customer_details": ["email": "zoë@example.com", "name": "Zoë"],
        ]
        return whole.with(members)
    }

    /// The invoice `id` of the subscription for one period, paid by `intent`.
    package func invoice(
        _ id: String, from start: Int64, until end: Int64, intent: String, price: String = "price_pro",
        isProration: Bool = false, user: String? = nil
    ) -> CardJSON {
        let metadata = CardJSON(user.map { ["user_id": $0] } ?? [:])
        let period: CardJSON = ["start": .number(start), "end": .number(end)]
        let common: CardJSON = [
            "id": .text(id), "object": "invoice", "customer": .text(customer), "status": "paid",
            "amount_paid": .number(Self.amount),
            "billing_reason": "subscription_cycle", "currency": "eur", "customer_email": "zoë@example.com",
        ]
        switch shape {
        case .new:
            return common.with([
                "parent": [
                    "type": "subscription_details", "quote_details": nil,
                    "subscription_details": ["subscription": .text(subscription), "metadata": metadata],
                ],
                "lines": [
                    "object": "list",
                    "data": [
                        [
                            "id": "il_1", "object": "line_item", "period": period,
                            "parent": [
                                "type": "subscription_item_details", "invoice_item_details": nil,
                                "subscription_item_details": [
                                    "subscription": .text(subscription), "subscription_item": .text("si_" + tag),
                                    "proration": .flag(isProration),
                                ],
                            ],
                            "pricing": ["price_details": ["price": .text(price), "product": "prod_1"]],
                        ]
                    ],
                ],
            ])
        case .old:
            return common.with([
                "subscription": .text(subscription), "subscription_details": ["metadata": metadata],
                "payment_intent": .text(intent), "charge": .text("ch_" + intent), "paid": true,
                "lines": [
                    "object": "list",
                    "data": [
                        [
                            "id": "il_1", "object": "line_item", "period": period, "type": "subscription",
                            "subscription": .text(subscription), "subscription_item": .text("si_" + tag),
                            "proration": .flag(isProration), "price": ["id": .text(price), "object": "price"],
                        ]
                    ],
                ],
            ])
        }
    }

    /// What ties a payment to an invoice in the new shape.
    package func invoicePayment(_ invoice: String, intent: String) -> CardJSON {
        [
            "id": .text("inpay_" + invoice), "object": "invoice_payment", "invoice": .text(invoice), "status": "paid",
            "payment": ["type": "payment_intent", "payment_intent": .text(intent)],
        ]
    }

    /// A charge of which so much was refunded.
    package func charge(_ intent: String, refunded: Int64, invoice: String? = nil) -> CardJSON {
        let charge: CardJSON = [
            "id": .text("ch_" + intent), "object": "charge", "amount": .number(Self.amount),
            "amount_captured": .number(Self.amount),
            "amount_refunded": .number(refunded), "refunded": .flag(refunded == Self.amount),
            "payment_intent": .text(intent), "customer": .text(customer), "metadata": [:],
            "billing_details": ["email": "zoë@example.com", "address": ["city": "Köln"]],
        ]
        return shape == .old ? charge.with(["invoice": CardJSON(invoice)]) : charge
    }

    package func refund(_ intent: String, _ status: String) -> CardJSON {
        [
            "id": .text("re_" + intent), "object": "refund", "charge": .text("ch_" + intent),
            "payment_intent": .text(intent), "amount": .number(Self.amount), "status": .text(status),
        ]
    }

    package func dispute(_ intent: String, _ status: String) -> CardJSON {
        [
            "id": .text("dp_" + intent), "object": "dispute", "charge": .text("ch_" + intent),
            "payment_intent": .text(intent), "status": .text(status), "amount": .number(Self.amount),
            "reason": "fraudulent",
        ]
    }
}

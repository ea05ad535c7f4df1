/// A refunded charge, as an event shows it.
package struct CardCharge: Hashable, Sendable {
    package let id: String
    package let paymentIntent: String?
    /// The invoice that the charge paid. Only API versions before 2025-03-31 say it in the charge.
    package let invoice: String?
    /// The captured amount, in the smallest unit of the currency.
    package let captured: Int64
    /// The refunded share of the captured amount, 0…100000. A charge that was captured whole has the full share only if
    /// Stripe says `refunded`, because credits and discounts make amounts differ.
    package let refundedShare: Int

    init?(_ object: CardObject) {
        guard let id = object.id, let amount = object.integer("amount"),
            let refunded = object.integer("amount_refunded")
        else { return nil }
        self.id = id
        paymentIntent = object.identifier("payment_intent")
        invoice = object.identifier("invoice")
        let part = object.integer("amount_captured").flatMap { $0 > 0 && $0 < amount ? $0 : nil }
        captured = part ?? amount
        refundedShare = Self.share(
            refunded, of: captured,
            isWhole: object.flag("refunded") ?? false || part.map { refunded >= $0 } ?? false)
    }

    private static func share(_ refunded: Int64, of amount: Int64, isWhole: Bool) -> Int {
        guard !isWhole else { return 100_000 }
        guard amount > 0, refunded > 0 else { return 0 }
        let (product, overflow) = refunded.multipliedReportingOverflow(by: 100_000)
        return overflow ? 99_999 : Int(min(product / amount, 99_999))
    }
}

extension CardObject {
    /// True if the charge has the member `invoice` of API versions before 2025-03-31, but names neither an invoice nor
    /// a payment intent. Then it paid for no session and no invoice.
    var isOfNothingSold: Bool {
        isPresent("invoice") && identifier("invoice") == nil && identifier("payment_intent") == nil
    }
}

/// A refund as an event shows it.
package struct CardRefund: Hashable, Sendable {
    package let id: String
    package let charge: String?
    package let paymentIntent: String?
    /// True if the refund failed or was cancelled, so the money did not go back.
    package let hasFailed: Bool

    init?(_ object: CardObject) {
        guard let id = object.id else { return nil }
        self.id = id
        charge = object.identifier("charge")
        paymentIntent = object.identifier("payment_intent")
        hasFailed = ["failed", "canceled"].contains(object.text("status"))
    }
}

/// A dispute as an event shows it.
package struct CardDispute: Hashable, Sendable {
    /// The outcome of the dispute so far.
    package enum Outcome: Hashable, Sendable {
        case open
        /// The money went back.
        case lost
        case won
    }

    package let id: String
    package let charge: String?
    package let paymentIntent: String?
    package let outcome: Outcome

    init?(_ object: CardObject) {
        guard let id = object.id else { return nil }
        self.id = id
        charge = object.identifier("charge")
        paymentIntent = object.identifier("payment_intent")
        outcome =
            switch object.text("status") {
            case "lost", "prevented": .lost
            case "won", "warning_closed": .won
            default: .open
            }
    }
}

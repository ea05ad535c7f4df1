import Entitlements

extension PaymentAmount {
    /// Reads the amounts in a charge, an invoice, a checkout session or a refund, whatever the event is (`stripe.md`
    /// §7); nil for any other object, and for one that tells no amount.
    init?(_ object: CardObject, toldAt: Instant) {
        guard let number = object.id, let told = Self.told(object) else { return nil }
        let currency = object.identifier("currency")?.uppercased()
        let factor = currency.flatMap(MinorUnit.milliunits)
        let converted = factor.flatMap { factor in
            Self.product(told.paid ?? 0, factor).flatMap { paid in
                Self.product(told.refunded, factor).map { (told.paid == nil ? nil : paid, $0) }
            }
        }
        let (paid, refunded) = converted ?? (told.paid, told.refunded)
        self.init(
            number, told.kind, of: told.target, paid: paid, refunded: refunded, currency: currency,
            isRaw: converted == nil, madeAt: object.instant("created") ?? toldAt, toldAt: toldAt)
    }

    private static func told(
        _ object: CardObject
    ) -> (kind: Kind, target: String?, paid: Int64?, refunded: Int64)? {
        switch object.text("object") {
        case "charge":
            // A charge that failed or is not captured yet captured 0.
            let captured = object.integer("amount_captured") ?? object.integer("amount")
            let paid = object.flag("captured") == false ? nil : captured.flatMap { $0 == 0 ? nil : $0 }
            guard let refunded = object.integer("amount_refunded") ?? paid.map({ _ in 0 }) else { return nil }
            return (.charge, object.identifier("payment_intent") ?? object.identifier("invoice"), paid, refunded)
        case "invoice":
            let subscription = object["parent"]?["subscription_details"] ?? object
            guard let paid = object.integer("amount_paid"), paid != 0 || object.text("status") == "paid" else {
                return nil
            }
            return (.invoice, subscription.identifier("subscription"), paid, 0)
        case "checkout.session":
            guard ["paid", "no_payment_required"].contains(object.text("payment_status")),
                let paid = object.integer("amount_total")
            else { return nil }
            return (.checkout, object.identifier("payment_intent") ?? object.identifier("subscription"), paid, 0)
        case "refund":
            guard let amount = object.integer("amount") else { return nil }
            let refunded = object.text("status") == "succeeded" ? amount : 0
            return (.refund, object.identifier("charge") ?? object.identifier("payment_intent"), nil, refunded)
        default: return nil
        }
    }

    private static func product(_ amount: Int64, _ factor: Int64) -> Int64? {
        let (product, isTooLarge) = amount.multipliedReportingOverflow(by: factor)
        return isTooLarge ? nil : product
    }
}

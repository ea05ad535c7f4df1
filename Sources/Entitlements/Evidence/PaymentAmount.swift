/// The money of a payment, as a store told it last under one of the payment's numbers (`stripe.md` §7). It decides
/// nothing.
package struct PaymentAmount: Hashable, Sendable {
    /// The kind of object that has the number.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case charge
        case invoice
        case checkout
        /// A part of what a charge's `refunded` sums up.
        case refund
    }

    package let number: String
    package let kind: Kind
    /// The number that the payment is for, such as that of a subscription; nil if the store names none.
    package let target: String?
    /// The amount that was paid; nil while nothing is paid.
    package let paid: Int64?
    /// The amount that went back in all.
    package let refunded: Int64
    /// The code of the currency in upper-case letters; nil if the store names none.
    package let currency: String?
    /// True if the currency's unit is not known here. Then the amounts are as the store wrote them, and otherwise in
    /// thousandths of that unit.
    package let isRaw: Bool
    package let madeAt: Instant
    /// The date of the event that tells the amounts. Of several events the newest counts.
    package let toldAt: Instant

    package init(
        _ number: String, _ kind: Kind, of target: String?, paid: Int64?, refunded: Int64, currency: String?,
        isRaw: Bool, madeAt: Instant, toldAt: Instant
    ) {
        self.number = number
        self.kind = kind
        self.target = target
        self.paid = paid
        self.refunded = refunded
        self.currency = currency
        self.isRaw = isRaw
        self.madeAt = madeAt
        self.toldAt = toldAt
    }
}

/// A refund, as a state shows it.
package struct Revocation: Hashable, Sendable {
    package let revokedAt: Instant
    /// The share of the price that was refunded, 0…100000; 100000 is a full refund. Nil is an anomaly, which counts as
    /// a full refund until the store states a share (`semantics.md` §2).
    package let share: Int?
    /// The whole amount of the payment that was refunded in part or whole, in the smallest unit of the currency. Nil if
    /// the source does not say; then the payment is taken as the only one for the purchase.
    package let payment: Int64?

    package init(revokedAt: Instant, share: Int?, payment: Int64? = nil) {
        self.revokedAt = revokedAt
        self.share = share
        self.payment = payment
    }

    /// The share of a full refund.
    package static let fullShare = 100_000
}

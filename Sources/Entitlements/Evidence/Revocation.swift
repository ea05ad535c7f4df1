/// A refund, as a state shows it.
package struct Revocation: Hashable, Sendable {
    package let revokedAt: Instant
    /// The share of the price that was refunded, 0…100000 (a full refund is 100000); nil is an anomaly,
    /// which takes everything until the store states a share (`semantics.md` §2).
    package let share: Int?
    /// How much the payment was of which the share went back, in the smallest unit of the currency; nil where nobody
    /// says, and then the payment was all.
    package let payment: Int64?

    package init(revokedAt: Instant, share: Int?, payment: Int64? = nil) {
        self.revokedAt = revokedAt
        self.share = share
        self.payment = payment
    }

    /// A refund of everything.
    package static let fullShare = 100_000
}

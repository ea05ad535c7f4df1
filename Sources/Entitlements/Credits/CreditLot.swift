/// The credits of one purchase: the whole lot, whoever holds how much of it (`semantics.md` §4).
package struct CreditLot: Hashable, Sendable {
    package let unit: String
    package let environment: StoreEnvironment
    /// `amount × quantity`: the whole lot.
    package let credited: Int
    package let creditedAt: Instant
    /// Exclusive; nil for a paid lot, which never expires.
    package let expiresAt: Instant?
    package let onShortfall: Terms.OnShortfall
    package let share: ShareTrack

    package init(
        unit: String, environment: StoreEnvironment, credited: Int, creditedAt: Instant, expiresAt: Instant? = nil,
        onShortfall: Terms.OnShortfall = .debt, share: ShareTrack
    ) {
        self.unit = unit
        self.environment = environment
        self.credited = credited
        self.creditedAt = creditedAt
        self.expiresAt = expiresAt
        self.onShortfall = onShortfall
        self.share = share
    }

    /// `amount × quantity`, from 0 to `maximumCredited`.
    package static func credited(amount: Int, quantity: Int) -> Int {
        guard amount > 0, quantity > 0 else { return 0 }
        let (credited, overflow) = amount.multipliedReportingOverflow(by: quantity)
        return overflow ? maximumCredited : min(credited, maximumCredited)
    }

    /// `(credited × share + 50000) ÷ 100000` of the whole lot, never a sum of deltas.
    package static func refunded(of credited: Int, share: Int) -> Int {
        let (whole, rest) = credited.quotientAndRemainder(dividingBy: Revocation.fullShare)
        return whole * share + (rest * share + Revocation.fullShare / 2) / Revocation.fullShare
    }

    /// The refunded total of the whole lot at `instant`.
    package func refunded(at instant: Instant) -> Int {
        Self.refunded(of: credited, share: share.share(at: instant))
    }

    /// Small enough that a million lots can be added up.
    package static let maximumCredited = 1_000_000_000_000
}

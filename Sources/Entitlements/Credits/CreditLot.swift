/// The credits of one purchase: the whole lot, whichever users hold parts of it (`semantics.md` §4).
package struct CreditLot: Hashable, Sendable {
    package let unit: String
    package let environment: StoreEnvironment
    /// The units of the whole lot, `amount × quantity`.
    package let credited: Int
    package let creditedAt: Instant
    /// The expiry, exclusive; nil for a paid lot, which never expires.
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

    /// Returns `amount × quantity`, limited to 0…`maximumCredited`.
    package static func credited(amount: Int, quantity: Int) -> Int {
        guard amount > 0, quantity > 0 else { return 0 }
        let (credited, overflow) = amount.multipliedReportingOverflow(by: quantity)
        return overflow ? maximumCredited : min(credited, maximumCredited)
    }

    /// Returns the refunded units at this share, `(credited × share + 50000) ÷ 100000`. The number is always computed
    /// for the whole lot; it is never a sum of differences.
    package static func refunded(of credited: Int, share: Int) -> Int {
        let (whole, rest) = credited.quotientAndRemainder(dividingBy: Revocation.fullShare)
        return whole * share + (rest * share + Revocation.fullShare / 2) / Revocation.fullShare
    }

    /// Returns the refunded units of the whole lot at `instant`.
    package func refunded(at instant: Instant) -> Int {
        Self.refunded(of: credited, share: share.share(at: instant))
    }

    /// The most units of a lot, so small that the sum of a million lots does not overflow.
    package static let maximumCredited = 1_000_000_000_000
}

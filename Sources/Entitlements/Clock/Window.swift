/// Coverage whose dates another party gives: one period of a plan, or an operator's "until" (`semantics.md` §7).
///
/// Windows overlay the lane; they neither use nor add pass time.
package struct Window: Hashable, Sendable {
    /// Nil for an operator's, which is of no product.
    package let productID: ProductID?
    package let tier: Tier
    /// The product's own seats, which go before its tier's.
    package let seats: Int?
    package let startsAt: Instant
    /// The end that was paid for, or an upgrade before it.
    package let endsAt: Instant
    /// A refund or a withdrawal ends it, whatever its share; a reversal opens it again.
    package let revocations: ShareTrack
    /// Another period took its place.
    package let isSuperseded: Bool
    /// Whether a renewal may still come: the chain's last period, not upgraded, not revoked when it expires.
    package let mayRenew: Bool

    init(_ period: Period, followedBy next: Period?, tier: Tier, seats: Int?, isLast: Bool) {
        productID = period.spokesman.productID
        self.tier = tier
        self.seats = seats
        startsAt = period.startsAt
        revocations = period.share
        let expiresAt = period.expiresAt ?? period.startsAt
        let upgradedAt = period.upgradedSaidAt.map { next?.startsAt ?? $0 }
        endsAt = max(startsAt, upgradedAt.map { min($0, expiresAt) } ?? expiresAt)
        isSuperseded = upgradedAt != nil
        mayRenew = isLast && upgradedAt == nil && period.expiresAt != nil && revocations.share(at: expiresAt) == 0
    }

    /// An operator's, which never renews.
    init(of tier: Tier, from startsAt: Instant, to endsAt: Instant, revocations: ShareTrack) {
        productID = nil
        self.tier = tier
        seats = nil
        self.startsAt = startsAt
        self.endsAt = endsAt
        self.revocations = revocations
        isSuperseded = false
        mayRenew = false
    }

    /// What it covers by its dates, independent of any instant.
    package var covered: [Explanation.Interval] {
        guard startsAt < endsAt else { return [] }
        return revocations.untouchedParts(from: startsAt, to: endsAt)
    }

    /// What it still covers after its end, once that has come, while its renewal may be published late.
    package func grace(leewayHours: Int) -> [Explanation.Interval] {
        guard mayRenew, leewayHours > 0, startsAt < endsAt else { return [] }
        let length = Int64(min(leewayHours, Self.maximumLeewayHours)) * Instant.millisecondsPerHour
        return revocations.untouchedParts(from: endsAt, to: endsAt + length)
    }

    private static let maximumLeewayHours = 24 * 366
}

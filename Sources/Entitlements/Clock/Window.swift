/// Coverage whose dates another party gives: one period of a plan, or an operator's "until" (`semantics.md` §7).
///
/// Windows overlay the lane; they neither use nor add pass time.
package struct Window: Hashable, Sendable {
    /// As the catalogue calls it; nil for an operator's, which is of no product.
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
    /// What the store says of that; nil when it says nothing.
    package let renewal: VerifiedRenewal?
    /// By which the store sold it.
    package let offer: String?
    /// Whether an offer sold it for nothing; nil where that is not known.
    package let isTrial: Bool?
    private let suspension: Suspension?
    /// When the source says that it runs; nil where it says nothing of that.
    private let listed: [Explanation.Interval]?
    /// From when on the chain is over for ever.
    private let overAt: Instant?

    init(
        _ period: Period, followedBy next: Period?, of product: ProductID, tier: Tier, seats: Int?, isLast: Bool,
        renewal: VerifiedRenewal?, overAt: Instant?
    ) {
        productID = product
        self.tier = tier
        self.seats = seats
        startsAt = period.startsAt
        revocations = period.share
        let expiresAt = period.expiresAt ?? period.startsAt
        let upgradedAt = period.upgradedSaidAt.map { next?.startsAt ?? $0 }
        let ends = [expiresAt, upgradedAt, period.listed?.last?.endsAt, overAt]
        endsAt = max(startsAt, ends.compactMap { $0 }.reduce(expiresAt, min))
        isSuperseded = upgradedAt != nil || period.isReplaced
        mayRenew = isLast && upgradedAt == nil && period.expiresAt != nil && revocations.share(at: expiresAt) == 0
        self.renewal = mayRenew ? renewal : nil
        suspension = period.suspension
        listed = period.listed
        self.overAt = overAt
        offer = period.offer
        isTrial = period.isTrial
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
        renewal = nil
        suspension = nil
        listed = nil
        overAt = nil
        offer = nil
        isTrial = false
    }

    /// What it covers by its dates, independent of any instant.
    package var covered: [Explanation.Interval] {
        let parts = parts(from: startsAt, to: endsAt)
        guard let listed else { return parts }
        return parts.flatMap { part in listed.compactMap { part.part(within: $0) } }
    }

    /// What it still covers after its end, once that has come: as long as the store grants, else while its renewal may
    /// be published late. One whose payment is tried again, and one that was cancelled or has ended, have no leeway;
    /// nothing goes on when the chain is over.
    package func grace(leewayHours: Int) -> [Explanation.Interval] {
        guard mayRenew, startsAt < endsAt else { return [] }
        if let graceEndsAt = renewal?.graceEndsAt {
            return parts(from: endsAt, to: min(graceEndsAt, overAt ?? graceEndsAt))
        }
        guard overAt == nil, renewal?.mayFollowInTime ?? true else { return [] }
        let hours = min(max(0, leewayHours), Self.maximumLeewayHours)
        return parts(from: endsAt, to: endsAt + Int64(hours) * Instant.millisecondsPerHour)
    }

    /// Until when the store lets it go on without payment; nil where it grants nothing beyond the end.
    package var grantedGraceEnd: Instant? {
        guard startsAt < endsAt, overAt == nil, let graceEndsAt = renewal?.graceEndsAt, graceEndsAt > endsAt else {
            return nil
        }
        return graceEndsAt
    }

    /// Everything that an answer about it compares its instant with, apart from the ends of what it covers.
    var instants: [Instant] {
        [startsAt, endsAt] + [suspension?.startsAt, suspension?.endsAt].compactMap { $0 }
            + revocations.steps.map(\.startsAt)
    }

    /// Whether the store still tries to charge for what follows upon its end.
    package func isInRetry(at instant: Instant) -> Bool {
        guard let renewal, endsAt <= instant, overAt == nil else { return false }
        return renewal.isInRetry && renewal.end == nil && revocations.share(at: instant) == 0
    }

    /// Whether the store suspends it at `instant`, before its end.
    package func isSuspended(at instant: Instant) -> Bool {
        guard let suspension, suspension.startsAt <= instant, startsAt <= instant else { return false }
        return instant < min(endsAt, suspension.endsAt ?? endsAt)
    }

    /// The parts of `[start, end)` in which nothing is revoked, and nothing suspended by the store.
    private func parts(from start: Instant, to end: Instant) -> [Explanation.Interval] {
        guard start < end else { return [] }
        let open = revocations.untouchedParts(from: start, to: end)
        guard let suspension, suspension.endsAt.map({ suspension.startsAt < $0 }) ?? true else { return open }
        let before = Explanation.Interval(startsAt: start, endsAt: suspension.startsAt)
        let after = suspension.endsAt.map { Explanation.Interval(startsAt: $0, endsAt: nil) }
        return open.flatMap { part in [before, after].compactMap { $0.flatMap { part.part(within: $0) } } }
    }

    private static let maximumLeewayHours = 24 * 366
}

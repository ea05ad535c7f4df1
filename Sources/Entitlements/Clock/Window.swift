/// Coverage whose dates another party gives: a period of a plan, or an operator's "until" (`semantics.md` §7).
///
/// Windows lie over the passes of a lane; they neither use nor add pass time.
package struct Window: Hashable, Sendable {
    /// The product of the period; nil for an operator's "until".
    package let productID: ProductID?
    /// The store's own name of the product; nil for an operator's "until".
    let storeProductID: ProductID?
    /// The plan id of the period's product, such as `monthly_1`; nil if the product has none, and for an operator's
    /// "until".
    package let planID: String?
    /// The item of the subscription that the window is of; nil where the purchase has no items.
    package let item: String?
    package let tier: Tier
    /// The device seats that the product itself gives; nil if its tier says how many.
    package let seats: Int?
    package let startsAt: Instant
    /// The end of the paid coverage: the expiry, or an earlier upgrade, replacement or end of the chain. For an unpaid
    /// period it is `startsAt`.
    package let endsAt: Instant
    /// The refunded share over time. Any share above 0 ends the coverage, and a reversal opens it again.
    package let revocations: ShareTrack
    /// True if the period was upgraded, or another period took its place before its expiry.
    package let isSuperseded: Bool
    /// True if a renewal may still follow: the period is the last of its item, still runs and was not upgraded. Refunds
    /// do not change this value, because answers judge refunds at each instant.
    package let mayRenew: Bool
    /// The newest state of the renewal that may follow; nil if none may or none is known.
    package let renewal: VerifiedRenewal?
    /// The offer by which the store sold the period.
    package let offer: String?
    /// True if an offer sold the period for a price of 0; nil if an offer sold it and its price is not known.
    package let isTrial: Bool?
    private let isUnpaid: Bool
    private let isRevokedAtExpiry: Bool
    /// The end of the grace that the store grants beyond `endsAt`.
    private let graceEndsAt: Instant?
    private let suspensions: [Suspension]
    /// The stretches in which the source's events list the period; nil for a source without events.
    private let listed: [Interval]?
    /// The instant from which on the chain is over for good.
    private let overAt: Instant?

    init(
        _ period: Period, followedBy next: Period?, of product: Product, tier: Tier, isLast: Bool,
        renewal: VerifiedRenewal?, overAt: Instant?
    ) {
        productID = product.id
        storeProductID = period.spokesman.storeProductID
        planID = product.terms.planID
        item = period.item
        self.tier = tier
        seats = product.seats(of: period.quantity)
        startsAt = period.startsAt
        revocations = period.share
        isUnpaid = period.unpaidGraceEnd != nil
        let expiresAt = period.expiresAt ?? period.startsAt
        let upgradedAt = period.upgradedSaidAt.map { next?.startsAt ?? $0 }
        let ends = [expiresAt, upgradedAt, period.listed?.last?.endsAt, overAt].compactMap { $0 }
        endsAt = isUnpaid ? startsAt : max(startsAt, ends.reduce(expiresAt, min))
        isSuperseded = upgradedAt != nil || period.isReplaced
        mayRenew = isLast && period.isListed && upgradedAt == nil && period.expiresAt != nil
        isRevokedAtExpiry = revocations.share(at: expiresAt) > 0
        self.renewal = mayRenew ? renewal : nil
        graceEndsAt = period.unpaidGraceEnd ?? (mayRenew && startsAt < endsAt ? renewal?.graceEndsAt : nil)
        suspensions = period.suspensions
        listed = period.listed
        self.overAt = overAt
        offer = period.offer
        isTrial = period.isTrial
    }

    /// Makes the window of an operator's "until", which never renews.
    init(of tier: Tier, from startsAt: Instant, to endsAt: Instant, revocations: ShareTrack) {
        productID = nil
        storeProductID = nil
        planID = nil
        item = nil
        self.tier = tier
        seats = nil
        self.startsAt = startsAt
        self.endsAt = endsAt
        self.revocations = revocations
        isSuperseded = false
        mayRenew = false
        isRevokedAtExpiry = false
        renewal = nil
        isUnpaid = false
        graceEndsAt = nil
        suspensions = []
        listed = nil
        overAt = nil
        offer = nil
        isTrial = false
    }

    /// The parts of `[startsAt, endsAt)` in which the window covers, past and planned.
    package var covered: [Interval] { parts(from: startsAt, to: endsAt) }

    /// Returns the coverage after `endsAt`, which counts only once `endsAt` has come. It lasts as long as the store
    /// grants. Without a grant it lasts for the leeway, in which a renewal may still be published.
    ///
    /// There is no leeway while the store retries the payment, or once the renewal was cancelled or has ended. A paid
    /// window that is refunded at its expiry has neither grace nor leeway. Nothing lasts beyond the end of the chain.
    package func grace(leewayHours: Int) -> [Interval] {
        guard isUnpaid || !isRevokedAtExpiry else { return [] }
        if let graceEndsAt { return parts(from: endsAt, to: min(graceEndsAt, overAt ?? graceEndsAt)) }
        guard mayRenew, startsAt < endsAt, overAt == nil, !isRetried, renewal?.mayFollow ?? true else { return [] }
        let hours = min(max(0, leewayHours), Self.maximumLeewayHours)
        return parts(from: endsAt, to: endsAt + Int64(hours) * Instant.millisecondsPerHour)
    }

    /// The end of the grace that the store grants; nil if the store grants none beyond `endsAt`, or the chain is over.
    package var grantedGraceEnd: Instant? {
        guard overAt == nil, let graceEndsAt, graceEndsAt > endsAt else { return nil }
        return graceEndsAt
    }

    /// True if nothing says what follows the paid coverage: a renewal may follow, and no state of the renewal says that
    /// it failed, that the chain ended or that grace covers (`semantics.md` §7).
    var isUntold: Bool {
        mayRenew && startsAt < endsAt && overAt == nil && graceEndsAt == nil && renewal?.end == nil && !isRetried
            && !isRevokedAtExpiry
    }

    /// The instants at which an answer about the window may change. Not all ends of its coverage are included, because
    /// callers know these already.
    var instants: [Instant] {
        [endsAt] + begins + suspensions.flatMap { [$0.startsAt, $0.endsAt].compactMap { $0 } }
            + revocations.steps.map(\.startsAt)
    }

    /// The instants at which the window begins: its start, and each later event that lists the period again.
    private var begins: [Instant] { listed?.map { max(startsAt, $0.startsAt) } ?? [startsAt] }

    /// The first instant at which the window begins.
    var beginsFirst: Instant { begins.first ?? startsAt }

    /// Returns the last beginning of the window by `instant`; nil if it has not begun by then.
    func begun(by instant: Instant) -> Instant? { begins.last { $0 <= instant } }

    /// True if the store still tries to charge for the period, or for the next one.
    package func isInRetry(at instant: Instant) -> Bool {
        endsAt <= instant && overAt == nil && isRetried && renewal?.end == nil && revocations.share(at: instant) == 0
    }

    /// True if the newest renewal state says that the payment is retried. In a subscription with several items this
    /// holds only for an item that is unpaid.
    private var isRetried: Bool { renewal.map { $0.isInRetry && (item == nil || isUnpaid) } ?? false }

    /// True if the store suspends the period at `instant`, before its end.
    package func isSuspended(at instant: Instant) -> Bool {
        startsAt <= instant
            && suspensions.contains { $0.startsAt <= instant && instant < min(endsAt, $0.endsAt ?? endsAt) }
    }

    /// Returns the parts of `[start, end)` in which the source lists the period, nothing is refunded, and the store
    /// does not suspend it.
    private func parts(from start: Instant, to end: Instant) -> [Interval] {
        guard start < end else { return [] }
        var parts = revocations.untouchedParts(from: start, to: end)
        for suspension in suspensions where suspension.endsAt.map({ suspension.startsAt < $0 }) ?? true {
            let before = Interval(startsAt: start, endsAt: suspension.startsAt)
            let after = suspension.endsAt.map { Interval(startsAt: $0, endsAt: nil) }
            parts = parts.flatMap { part in [before, after].compactMap { $0.flatMap { part.part(within: $0) } } }
        }
        guard let listed else { return parts }
        return parts.flatMap { part in listed.compactMap { part.part(within: $0) } }
    }

    private static let maximumLeewayHours = 24 * 366
}

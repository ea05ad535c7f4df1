/// Coverage whose dates another party gives: one period of a plan, or an operator's "until" (`semantics.md` §7).
///
/// Windows overlay the lane; they neither use nor add pass time.
package struct Window: Hashable, Sendable {
    /// The product; nil for an operator's "until".
    package let productID: ProductID?
    /// The store's own name of the product; nil for an operator's "until".
    let storeProductID: ProductID?
    /// The plan's name in the catalogue, for clients.
    package let planID: String?
    /// The item of the subscription that the window is of; nil where the purchase has no items.
    package let item: String?
    package let tier: Tier
    /// The product's own seats, which go before its tier's.
    package let seats: Int?
    package let startsAt: Instant
    /// The end that was paid for, or an upgrade before it; the start of an unpaid period.
    package let endsAt: Instant
    /// A refund or a withdrawal ends it, whatever its share; a reversal opens it again.
    package let revocations: ShareTrack
    /// Another period took its place.
    package let isSuperseded: Bool
    /// True if a renewal may still come: the last period of its item that still runs, not upgraded. Revocation is not
    /// judged here, but at each instant.
    package let mayRenew: Bool
    /// The newest state of that renewal; nil when the store has said nothing.
    package let renewal: VerifiedRenewal?
    /// The offer by which the store sold the period.
    package let offer: String?
    /// True if an offer sold the period for nothing; nil where that is not known.
    package let isTrial: Bool?
    private let isUnpaid: Bool
    private let isRevokedAtExpiry: Bool
    /// Until when the store lets it go on beyond its end.
    private let graceEndsAt: Instant?
    private let suspensions: [Suspension]
    /// The stretches in which the source says that the period runs; nil where a source tells by no events.
    private let listed: [Interval]?
    /// From when on the chain is over for ever.
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

    /// An operator's, which never renews.
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

    /// The coverage by the window's dates, independent of any instant.
    package var covered: [Interval] { parts(from: startsAt, to: endsAt) }

    /// Coverage after the end, once that has come: as long as the store grants, else while a renewal may be published
    /// late. There is no leeway for a window whose payment is tried again, or whose renewal was cancelled or has ended.
    /// Nothing goes on when the chain is over.
    package func grace(leewayHours: Int) -> [Interval] {
        guard isUnpaid || !isRevokedAtExpiry else { return [] }
        if let graceEndsAt { return parts(from: endsAt, to: min(graceEndsAt, overAt ?? graceEndsAt)) }
        guard mayRenew, startsAt < endsAt, overAt == nil, !isRetried, renewal?.mayFollow ?? true else { return [] }
        let hours = min(max(0, leewayHours), Self.maximumLeewayHours)
        return parts(from: endsAt, to: endsAt + Int64(hours) * Instant.millisecondsPerHour)
    }

    /// Until when the store lets it go on without payment; nil where it grants nothing beyond the end.
    package var grantedGraceEnd: Instant? {
        guard overAt == nil, let graceEndsAt, graceEndsAt > endsAt else { return nil }
        return graceEndsAt
    }

    /// The instants by which an answer about the window may change, apart from the ends of its coverage.
    var instants: [Instant] {
        [endsAt] + begins + suspensions.flatMap { [$0.startsAt, $0.endsAt].compactMap { $0 } }
            + revocations.steps.map(\.startsAt)
    }

    /// The beginnings of the window: its start, and whenever its source lists it again.
    private var begins: [Instant] { listed?.map { max(startsAt, $0.startsAt) } ?? [startsAt] }

    /// The first beginning.
    var beginsFirst: Instant { begins.first ?? startsAt }

    /// The last beginning by `instant`; nil if the window has not begun.
    func begun(by instant: Instant) -> Instant? { begins.last { $0 <= instant } }

    /// True if the store still tries to charge for the period, or for the next one.
    package func isInRetry(at instant: Instant) -> Bool {
        endsAt <= instant && overAt == nil && isRetried && renewal?.end == nil && revocations.share(at: instant) == 0
    }

    /// True if the payment is tried again: of a purchase with several items only for an item that is not paid.
    private var isRetried: Bool { renewal.map { $0.isInRetry && (item == nil || isUnpaid) } ?? false }

    /// True if the store suspends the period at `instant`, before its end.
    package func isSuspended(at instant: Instant) -> Bool {
        startsAt <= instant
            && suspensions.contains { $0.startsAt <= instant && instant < min(endsAt, $0.endsAt ?? endsAt) }
    }

    /// The parts of `[start, end)` in which it runs, nothing is revoked, and nothing suspended by the store.
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

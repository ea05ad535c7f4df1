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
    /// The offer by which the store sold the period.
    package let offer: String?
    /// True if an offer sold the period for a price of 0; nil if an offer sold it and its price is not known.
    package let isTrial: Bool?
    /// The words on the time after `endsAt`, the first of which speaks from `endsAt`; empty if nothing follows.
    private let words: [Word]
    /// The start of the next period, where one period of the chain runs at a time.
    private let followedAt: Instant?
    /// The end of the grace of an unpaid period; nil for a paid one.
    private let unpaidGraceEnd: Instant?
    private let suspensions: [Suspension]
    /// The stretches in which the source's events list the period; nil for a source without events.
    private let listed: [Interval]?
    /// The instant from which on the chain is over for good.
    private let overAt: Instant?

    /// A store's word on the time after a period, from an instant on: a state of the renewal, or nothing.
    struct Word: Hashable {
        let from: Instant
        let renewal: VerifiedRenewal?
    }

    /// - Parameter renewals: The states of the chain's renewal, the oldest first.
    init(
        _ period: Period, of product: Product, tier: Tier, isLast: Bool, renewals: [VerifiedRenewal], overAt: Instant?
    ) {
        productID = product.id
        storeProductID = period.spokesman.storeProductID
        planID = product.terms.planID
        item = period.item
        self.tier = tier
        seats = product.seats(of: period.quantity)
        startsAt = period.startsAt
        revocations = period.share
        unpaidGraceEnd = period.unpaidGraceEnd
        followedAt = period.followedAt
        let expiresAt = period.expiresAt ?? period.startsAt
        let ends = [period.followedAt ?? period.upgradedSaidAt, period.listed?.last?.endsAt, overAt].compactMap { $0 }
        endsAt = unpaidGraceEnd == nil ? max(startsAt, ends.reduce(expiresAt, min)) : startsAt
        isSuperseded = period.isReplaced
        mayRenew = isLast && period.isListed && !isSuperseded && period.expiresAt != nil
        let mayFollow = mayRenew || period.followedAt != nil && !isSuperseded
        let nothing = unpaidGraceEnd == nil ? [] : [Word(from: endsAt, renewal: nil)]
        words = mayFollow ? period.words(in: renewals, from: endsAt) : nothing
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
        words = []
        followedAt = nil
        unpaidGraceEnd = nil
        suspensions = []
        listed = nil
        overAt = nil
        offer = nil
        isTrial = false
    }

    /// The parts of `[startsAt, endsAt)` in which the window covers, past and planned.
    package var covered: [Interval] { parts(from: startsAt, to: endsAt) }

    /// Returns the coverage after `endsAt`, which counts only once it has begun: what the store grants, and the leeway,
    /// in which a renewal may still be published. Each word covers until the next one, or until the next period. What
    /// is refunded at the time is not covered, and nothing lasts beyond the end of the chain.
    func graces(leewayHours: Int) -> [(part: Interval, isLeeway: Bool)] {
        let last = [followedAt, overAt].compactMap { $0 }.min() ?? .distantFuture
        let spoken = zip(words, words.dropFirst().map(\.from) + [last])
        return [false, true].flatMap { isLeeway in
            let covered = spoken.flatMap { word, next in
                let end = isLeeway ? leewayEnd(by: word.renewal, hours: leewayHours) : grantedEnd(by: word.renewal)
                return end.map { parts(from: word.from, to: min($0, next, last)) } ?? []
            }
            return Interval.stretches(of: covered).map { ($0, isLeeway) }
        }
    }

    private func grantedEnd(by renewal: VerifiedRenewal?) -> Instant? {
        unpaidGraceEnd ?? (startsAt < endsAt ? renewal?.graceEnd(after: endsAt, of: endsAt - startsAt) : nil)
    }

    /// Returns the end of the leeway; nil if the store grants or retries, the renewal is off, or the chain has ended.
    /// It is never longer than the period was, as periods of the Sandbox last minutes.
    private func leewayEnd(by renewal: VerifiedRenewal?, hours: Int) -> Instant? {
        guard overAt == nil, grantedEnd(by: renewal) == nil, !isRetried(by: renewal), renewal?.mayFollow ?? true else {
            return nil
        }
        let leeway = Int64(min(max(0, hours), Self.maximumLeewayHours)) * Instant.millisecondsPerHour
        return endsAt + min(leeway, endsAt - startsAt)
    }

    /// Returns the state of the renewal that speaks at `instant`; before the end, the one that will speak first.
    package func renewal(at instant: Instant) -> VerifiedRenewal? {
        words.last { $0.from <= max(instant, endsAt) }?.renewal
    }

    /// Returns the end of the grace that the store grants by what it says at `instant`; nil if the store grants none
    /// beyond `endsAt`, or the chain is over.
    func grantedGraceEnd(at instant: Instant) -> Instant? {
        guard overAt == nil, let end = grantedEnd(by: renewal(at: instant)), end > endsAt else { return nil }
        return end
    }

    /// True if nothing says what follows the paid coverage: a renewal may follow, and the newest state of the renewal
    /// does not say that it failed, that the chain ended or until when grace covers (`semantics.md` §7). Grace that is
    /// told without its end is untold, although the store retries meanwhile.
    var isUntold: Bool {
        let newest = words.last?.renewal
        return mayRenew && startsAt < endsAt && overAt == nil && unpaidGraceEnd == nil && newest?.graceEndsAt == nil
            && newest?.hasEnded != true && (newest?.course == .grace || !isRetried(by: newest))
            && revocations.share(at: endsAt) == 0
    }

    /// True if grace is told and its end is not.
    var isGraceUndated: Bool { isUntold && words.last?.renewal?.course == .grace }

    /// The instants at which an answer about the window may change. Not all ends of its coverage are included, because
    /// callers know these already.
    var instants: [Instant] {
        [endsAt, endsAt + Self.retryShown] + begins + words.map(\.from) + revocations.steps.map(\.startsAt)
            + suspensions.flatMap { [$0.startsAt, $0.endsAt].compactMap { $0 } }
    }

    /// The instants at which the window begins: its start, and each later event that lists the period again.
    private var begins: [Instant] { listed?.map { max(startsAt, $0.startsAt) } ?? [startsAt] }

    /// The first instant at which the window begins.
    var beginsFirst: Instant { begins.first ?? startsAt }

    /// Returns the last beginning of the window by `instant`; nil if it has not begun by then.
    func begun(by instant: Instant) -> Instant? { begins.last { $0 <= instant } }

    /// True if the store still tries to charge for the period, or for the next one. Without events this is shown for at
    /// most 60 days, and only while the renewal is on.
    package func isInRetry(at instant: Instant) -> Bool {
        guard endsAt <= instant, overAt == nil, revocations.share(at: instant) == 0,
            let renewal = renewal(at: instant), isRetried(by: renewal)
        else { return false }
        return listed != nil
            || renewal.willRenew && instant < min(followedAt ?? .distantFuture, endsAt + Self.retryShown)
    }

    /// True if a renewal state says that the payment is retried. In a subscription with several items this holds only
    /// for an item that is unpaid.
    private func isRetried(by renewal: VerifiedRenewal?) -> Bool {
        renewal.map { $0.isInRetry && (item == nil || unpaidGraceEnd != nil) } ?? false
    }

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
    private static let retryShown = 60 * Instant.millisecondsPerDay
}

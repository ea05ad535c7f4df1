/// A signed state of a chain's renewal, which says what follows the last period (`semantics.md` §7).
package struct VerifiedRenewal: Hashable, Sendable {
    /// The customer's answer to a higher price.
    package enum PriceConsent: String, Hashable, Sendable, CaseIterable {
        case pending
        case given
    }

    /// The course of the chain that the message with the statement tells. It is no part of the signed state.
    package enum Course: String, Hashable, Sendable, CaseIterable {
        /// The last period goes on in grace.
        case grace
        /// The last period, or its grace, ended without a renewal.
        case ended
    }

    package let key: PurchaseKey
    package let signedAt: Instant
    package let willRenew: Bool
    /// The product of the period that follows.
    package let renewsInto: ProductID?
    /// The end of the grace in which the last period goes on without payment.
    package let graceEndsAt: Instant?
    /// True if the store still retries the payment for the renewal.
    package let isInRetry: Bool
    /// The reason why the chain ended; nil while it has not.
    package let end: RenewalEnd?
    package let priceConsent: PriceConsent?
    /// The instant from which on the chain is over for good, whatever any other state says.
    package let endedAt: Instant?
    /// The id of the source's event that makes the statement; nil for a source without events.
    package let eventID: String?
    /// The offer by which the next period is sold, and its price. They decide nothing.
    package let offer: String?
    package let price: Price?
    /// The ids of the offers by which the customer could be won back. They decide nothing.
    package let winBackOffers: [String]
    package let course: Course?

    package init(
        key: PurchaseKey, signedAt: Instant, willRenew: Bool, renewsInto: ProductID? = nil,
        graceEndsAt: Instant? = nil, isInRetry: Bool = false, end: RenewalEnd? = nil,
        priceConsent: PriceConsent? = nil, endedAt: Instant? = nil, eventID: String? = nil, offer: String? = nil,
        price: Price? = nil, winBackOffers: [String] = [], course: Course? = nil
    ) {
        self.key = key
        self.signedAt = signedAt
        self.willRenew = willRenew
        self.renewsInto = renewsInto
        self.graceEndsAt = graceEndsAt
        self.isInRetry = isInRetry
        self.end = end
        self.priceConsent = priceConsent
        self.endedAt = endedAt
        self.eventID = eventID
        self.offer = offer
        self.price = price
        self.winBackOffers = winBackOffers
        self.course = course
    }

    /// True if the two states differ in nothing but their signing dates.
    package func hasSameContent(as other: VerifiedRenewal) -> Bool {
        key == other.key && willRenew == other.willRenew && renewsInto == other.renewsInto
            && graceEndsAt == other.graceEndsAt && isInRetry == other.isInRetry && end == other.end
            && priceConsent == other.priceConsent && endedAt == other.endedAt && eventID == other.eventID
            && offer == other.offer && price == other.price && winBackOffers == other.winBackOffers
            && course == other.course
    }

    /// True if the chain has ended: the message or a reason says so, while nothing is retried and no grace is told.
    var hasEnded: Bool { !isInRetry && course != .grace && (course == .ended || end != nil) }

    /// True if the chain has not ended and renews, so that another period may follow.
    var mayFollow: Bool { willRenew && !hasEnded }

    /// Returns the end of the grace that the store grants a period of `length` that ended at `endsAt`; nil if it grants
    /// none.
    func graceEnd(after endsAt: Instant, of length: Int64) -> Instant? {
        if course == .grace { return graceEndsAt ?? endsAt + min(Self.unnamedGrace, length) }
        return course == .ended || hasEnded ? nil : graceEndsAt
    }

    /// The grace that is told without a date, in milliseconds.
    private static let unnamedGrace = 3 * Instant.millisecondsPerDay

    /// The sort order of the renewal states of one chain; the last state counts (`semantics.md` §7).
    ///
    /// A state that says that the chain is over for good sorts last. Otherwise the order is by `signedAt`. Of states
    /// with one signing date these sort later, in order of precedence: a state that tells an end, the larger event id,
    /// a state in retry, a state that does not renew. Then the earlier end of grace sorts later, where no grace is the
    /// earliest. A state that is told as grace sorts later than the same one that is not. The bytes of the other fields
    /// decide last.
    static func precedes(_ left: VerifiedRenewal, _ right: VerifiedRenewal) -> Bool {
        if (left.endedAt == nil) != (right.endedAt == nil) { return left.endedAt == nil }
        if left.signedAt != right.signedAt { return left.signedAt < right.signedAt }
        if left.tellsEnd != right.tellsEnd { return right.tellsEnd }
        let (first, second) = (left.statedAt, right.statedAt)
        if first < second || second < first { return first < second }
        if left.isInRetry != right.isInRetry { return right.isInRetry }
        if left.willRenew != right.willRenew { return left.willRenew }
        let (earlier, later) = (left.graceEndsAt?.milliseconds ?? .min, right.graceEndsAt?.milliseconds ?? .min)
        if earlier != later { return earlier > later }
        if left.course != right.course { return left.course == nil || right.course == .ended }
        return left.rest.lexicographicallyPrecedes(right.rest)
    }

    private var tellsEnd: Bool { course == .ended || end != nil }

    private var statedAt: StatedAt { StatedAt(signedAt: signedAt, eventID: eventID) }

    /// The remaining fields as bytes, to order states that are otherwise equal. A missing field comes after any value.
    private var rest: [UInt8] {
        let fields =
            [
                renewsInto?.text, end?.rawValue, priceConsent?.rawValue, offer, price.map { String($0.milliunits) },
                price?.currency,
            ] + winBackOffers
        return Array(fields.map { $0.map { "\"\($0)\"" } ?? "null" }.joined(separator: ",").utf8)
    }
}

/// The reason why a chain ended.
package enum RenewalEnd: RawRepresentable, Hashable, Sendable {
    case cancelled
    /// The renewal could not be paid.
    case billing
    /// The customer did not agree to a higher price.
    case priceIncrease
    /// The product was not for sale any more.
    case unavailable
    /// Any other reason, in the store's word; kept and shown.
    case other(String)

    package init(rawValue: String) {
        self =
            switch rawValue {
            case "cancelled": .cancelled
            case "billing": .billing
            case "price_increase": .priceIncrease
            case "unavailable": .unavailable
            default: .other(rawValue)
            }
    }

    package var rawValue: String {
        switch self {
        case .cancelled: "cancelled"
        case .billing: "billing"
        case .priceIncrease: "price_increase"
        case .unavailable: "unavailable"
        case .other(let rawValue): rawValue
        }
    }
}

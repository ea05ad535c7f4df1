/// A signed state of a chain's renewal, in our words: what will follow upon its last period (`semantics.md` §7).
package struct VerifiedRenewal: Hashable, Sendable {
    /// The customer's answer to a higher price.
    package enum PriceConsent: String, Hashable, Sendable, CaseIterable {
        case pending
        case given
    }

    package let key: PurchaseKey
    package let signedAt: Instant
    package let willRenew: Bool
    /// The product that follows.
    package let renewsInto: ProductID?
    /// Until when the last period goes on without payment.
    package let graceEndsAt: Instant?
    /// True if the store still tries to charge for the renewal.
    package let isInRetry: Bool
    /// Why it ended; nil while it has not.
    package let end: RenewalEnd?
    package let priceConsent: PriceConsent?
    /// From when on the chain is over for ever, whatever else is stated of it.
    package let endedAt: Instant?
    /// The source's event that states it, where a source tells by events.
    package let eventID: String?

    package init(
        key: PurchaseKey, signedAt: Instant, willRenew: Bool, renewsInto: ProductID? = nil,
        graceEndsAt: Instant? = nil, isInRetry: Bool = false, end: RenewalEnd? = nil,
        priceConsent: PriceConsent? = nil, endedAt: Instant? = nil, eventID: String? = nil
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
    }

    /// True if the two states say the same and differ at most in when they were signed.
    package func hasSameContent(as other: VerifiedRenewal) -> Bool {
        key == other.key && willRenew == other.willRenew && renewsInto == other.renewsInto
            && graceEndsAt == other.graceEndsAt && isInRetry == other.isInRetry && end == other.end
            && priceConsent == other.priceConsent && endedAt == other.endedAt && eventID == other.eventID
    }

    /// True if another period may still follow.
    var mayFollow: Bool { willRenew && end == nil }

    /// The order of states of one chain, of which the last counts (`semantics.md` §7).
    ///
    /// A chain that is over for ever comes last, then the order is by `signedAt`. Ties: ended last, then by the larger
    /// event id, then in retry, then renewal off, then the earlier end of grace, none being the earliest, then the
    /// bytes of the statement.
    static func precedes(_ left: VerifiedRenewal, _ right: VerifiedRenewal) -> Bool {
        if (left.endedAt == nil) != (right.endedAt == nil) { return left.endedAt == nil }
        if left.signedAt != right.signedAt { return left.signedAt < right.signedAt }
        if (left.end == nil) != (right.end == nil) { return left.end == nil }
        let (first, second) = (left.statedAt, right.statedAt)
        if first < second || second < first { return first < second }
        if left.isInRetry != right.isInRetry { return right.isInRetry }
        if left.willRenew != right.willRenew { return left.willRenew }
        let (earlier, later) = (left.graceEndsAt?.milliseconds ?? .min, right.graceEndsAt?.milliseconds ?? .min)
        return earlier != later ? earlier > later : left.rest.lexicographicallyPrecedes(right.rest)
    }

    private var statedAt: StatedAt { StatedAt(signedAt: signedAt, eventID: eventID) }

    /// The order of the statement's bytes: its fields in turn, one that says nothing after all others.
    private var rest: [UInt8] {
        let fields = [renewsInto?.text, end?.rawValue, priceConsent?.rawValue]
        return Array(fields.map { $0.map { "\"\($0)\"" } ?? "null" }.joined(separator: ",").utf8)
    }
}

/// Why a chain ended.
package enum RenewalEnd: RawRepresentable, Hashable, Sendable {
    case cancelled
    /// The renewal could not be paid.
    case billing
    /// The customer did not agree to a higher price.
    case priceIncrease
    /// The product was not for sale any more.
    case unavailable
    /// Another reason in the store's word; kept and shown.
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

/// The short answer to the question whether a user has access at an instant: a case, with all that a sentence about it
/// names.
package enum Verdict: Hashable, Sendable {
    /// Coverage at the instant.
    package struct Access: Hashable, Sendable {
        package let tier: TierID
        /// The end of coverage without a gap at the tier or above (``Status/expiresAt``).
        package let until: Instant
        /// The stretches of lower tiers that follow without a gap.
        package let then: [Drawing.Stretch]
        package let basis: Basis
        /// Another purchase that is in grace or leeway and does not decide the tier; nil if there is none.
        package let grace: Grace?

        /// True if the coverage goes on beyond its end because a plan renews.
        package var renews: Bool {
            if case .plan(_, _, willRenew: true) = basis { true } else { false }
        }

        package init(tier: TierID, until: Instant, then: [Drawing.Stretch], basis: Basis, grace: Grace?) {
            self.tier = tier
            self.until = until
            self.then = then
            self.basis = basis
            self.grace = grace
        }
    }

    /// The purchase from which the tier comes.
    package enum Basis: Hashable, Sendable {
        /// A pass runs until an instant; the passes in `then` follow it at the same tier.
        case pass(PurchaseKey, until: Instant, then: [PurchaseKey])
        /// A plan covers its present period.
        case plan(PurchaseKey, until: Instant, willRenew: Bool)
        /// An operator gave the tier until an instant.
        case window(PurchaseKey)
        /// The period is over. The store grants time, or this server does for news that are late.
        case grace(Grace)

        package var key: PurchaseKey {
            switch self {
            case .pass(let key, _, _), .plan(let key, _, _), .window(let key): key
            case .grace(let grace): grace.key
            }
        }
    }

    /// Coverage beyond the end of a period.
    package struct Grace: Hashable, Sendable {
        package let key: PurchaseKey
        package let until: Instant
        /// True if this server grants the time, because news of the renewal are late.
        package let isLeeway: Bool

        package init(key: PurchaseKey, until: Instant, isLeeway: Bool) {
            self.key = key
            self.until = until
            self.isLeeway = isLeeway
        }
    }

    /// The cause for which coverage ended.
    package enum End: Hashable, Sendable {
        /// The purchase was taken back after `ran` of its `length`, both in milliseconds; nil for a plan.
        case takenBack(by: Drawing.Bar.Cause, after: Int64?, of: Int64?)
        case ranOut
        /// The pass had run out before it was attached.
        case ranOutUnattached
        /// The payment for the next period failed, and the store tries again.
        case paymentFailed
        case planEnded(PlanDetails.ExpirationReason?)
        /// The rest of the purchase went to another user.
        case transferred
    }

    case access(Access)
    /// No coverage, but add-ons that are active.
    case addOns([ProductID])
    /// Purchases of the Sandbox would cover until the instant, but they do not count for this user, who never had
    /// other coverage.
    case sandboxOnly(TierID, until: Instant)
    /// The last coverage ended, and nothing covers.
    case ended(End, of: PurchaseKey, at: Instant)
    /// Coverage begins later, and there was none before.
    case toCome(TierID, from: Instant)
    /// The newest purchase is genuine, but gives nothing, or was taken back before it gave anything.
    case nothing(PurchaseKey, Explanation.Reason)
    case never
}

extension Verdict {
    /// The verdict about `timeline` at `at`.
    package init(of timeline: Timeline, at: Instant) {
        self = Moment(of: timeline, at: at).verdict
    }
}

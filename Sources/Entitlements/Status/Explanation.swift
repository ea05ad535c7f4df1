/// The intervals in which a purchase gives something, and if nothing, why (`semantics.md` §10).
package struct Explanation: Hashable, Sendable {
    /// Why a purchase gives nothing at the instant asked about; the raw value is what the API writes.
    package enum Reason: String, Hashable, Sendable, CaseIterable {
        case revoked
        case refundedAfterUse = "refunded_after_use"
        case finished
        case endedBeforeAttached = "ended_before_attached"
        case queuedBehind = "queued_behind"
        case pausedUnder = "paused_under"
        case sandboxNotAllowed = "sandbox_not_allowed"
        case requiresTier = "requires_tier"
        case familyShared = "family_shared"
        case superseded
        case unknownProduct = "unknown_product"
        case productTypeMismatch = "product_type_mismatch"
        case quarantined
        case transferred
    }

    /// `[startsAt, endsAt)`; an end of nil is for ever.
    package struct Interval: Hashable, Sendable {
        package let startsAt: Instant
        package let endsAt: Instant?

        package init(startsAt: Instant, endsAt: Instant?) {
            self.startsAt = startsAt
            self.endsAt = endsAt
        }

        /// The part within `other`; nil when none is.
        func part(within other: Interval) -> Interval? {
            let start = max(startsAt, other.startsAt)
            let end = [endsAt, other.endsAt].compactMap { $0 }.min()
            guard end.map({ start < $0 }) ?? true else { return nil }
            return Interval(startsAt: start, endsAt: end)
        }
    }

    /// A fact about the purchase that was considered.
    package struct Fact: Hashable, Sendable {
        /// The raw value is what the API writes.
        package enum Kind: String, Hashable, Sendable {
            case bound
            /// A store's state of the purchase, or of one period.
            case state
            /// A store's state of a chain's renewal.
            case renewal
            case granted
            case withdrawn
            case gaveAway = "gave_away"
            case received
        }

        package let kind: Kind
        /// The transaction of a state.
        package let transactionID: TransactionID?
        /// When a state was signed.
        package let signedAt: Instant?
        /// The revocation that a state shows.
        package let revocation: Revocation?
        /// When this server learned the fact; `known_at` at this instant counts this fact and earlier ones.
        package let recordedAt: Instant

        /// Nil for a fact that is about no purchase.
        package init?(_ entry: LedgerEntry) {
            switch entry.fact {
            case .stated(.purchase): kind = .state
            case .stated(.renewal): kind = .renewal
            case .bound: kind = .bound
            case .granted: kind = .granted
            case .withdrawn: kind = .withdrawn
            case .gaveAway: kind = .gaveAway
            case .received: kind = .received
            case .credit, .device, .sandboxTester, .consumptionConsent: return nil
            }
            transactionID = entry.fact.state?.transactionID
            signedAt = entry.fact.state?.signedAt ?? entry.fact.renewal?.signedAt
            revocation = entry.fact.state?.revocation
            recordedAt = entry.recordedAt
        }
    }

    package let key: PurchaseKey
    /// Nil for a grant that is of no product.
    package let productID: ProductID?
    /// The facts that make it, in the order of recording.
    package let facts: [Fact]
    package let gives: [Interval]
    /// Nil while the purchase gives something, and while its store suspends it.
    package let reason: Reason?

    package init(
        key: PurchaseKey, productID: ProductID?, facts: [Fact], gives: [Interval], reason: Reason?
    ) {
        self.key = key
        self.productID = productID
        self.facts = facts
        self.gives = gives
        self.reason = reason
    }
}

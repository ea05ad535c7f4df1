/// The explanation of an entitlement: in which intervals the purchase gives something, and why it gives nothing now
/// (`semantics.md` §10).
package struct Explanation: Hashable, Sendable {
    /// The reason why a purchase gives nothing at the instant asked about; the raw value is what the API writes.
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

    package let key: PurchaseKey
    /// Nil while the catalogue does not know the product, and for a grant that is of none.
    package let productID: ProductID?
    /// The facts about the purchase, in the order of recording.
    package let facts: [PurchaseFact]
    package let gives: [Interval]
    /// The reason why the purchase gives nothing; nil while it gives something, and while its store suspends it.
    package let reason: Reason?

    package init(
        key: PurchaseKey, productID: ProductID?, facts: [PurchaseFact], gives: [Interval], reason: Reason?
    ) {
        self.key = key
        self.productID = productID
        self.facts = facts
        self.gives = gives
        self.reason = reason
    }
}

/// The explanation of an entitlement: in which intervals the purchase gives something, and why it gives nothing now
/// (`semantics.md` §10).
package struct Explanation: Hashable, Sendable {
    /// The reason why a purchase gives nothing at the instant asked about; the raw value is what the API writes.
    package enum Reason: String, Hashable, Sendable, CaseIterable {
        /// The store or an operator took it back.
        case revoked
        /// It was refunded, in whole or in part, after all of its time had run.
        case refundedAfterUse = "refunded_after_use"
        /// Its time has passed.
        case finished
        /// Its time had passed before the app sent it for the first time.
        case endedBeforeAttached = "ended_before_attached"
        /// Another pass of its lane runs first.
        case queuedBehind = "queued_behind"
        /// A higher tier runs, and this pass waits with what is left of it.
        case pausedUnder = "paused_under"
        /// It was bought in the Sandbox, whose purchases do not count for this user.
        case sandboxNotAllowed = "sandbox_not_allowed"
        /// The add-on needs coverage of a tier that the user does not have now.
        case requiresTier = "requires_tier"
        /// It is shared by the family, and the product may not be.
        case familyShared = "family_shared"
        /// A later purchase or period took its place.
        case superseded
        /// The catalogue does not have the product.
        case unknownProduct = "unknown_product"
        /// The store states another type than the catalogue's kind.
        case productTypeMismatch = "product_type_mismatch"
        /// Its signed states name different products, so it gives nothing until an operator has looked.
        case quarantined
        /// Another user has it now.
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

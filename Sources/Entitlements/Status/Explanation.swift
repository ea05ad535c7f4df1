/// The explanation of an entitlement: in which intervals the purchase gives something, and why it gives nothing now
/// (`semantics.md` §10).
package struct Explanation: Hashable, Sendable {
    /// The reason why a purchase gives nothing at the instant asked about; the raw value is what the API writes.
    package enum Reason: String, Hashable, Sendable, CaseIterable {
        /// The store or an operator took the purchase back.
        case revoked
        /// The purchase was refunded, in whole or in part, after all of its time had run.
        case refundedAfterUse = "refunded_after_use"
        /// The time of the purchase, or of a reservation, has passed.
        case finished
        /// The time of the pass had passed before the app sent the purchase for the first time.
        case endedBeforeAttached = "ended_before_attached"
        /// The purchase has not begun, or another pass of its rank runs before the rest of it.
        case queuedBehind = "queued_behind"
        /// A higher tier runs, or a window pauses the pass, and it waits with what is left of it.
        case pausedUnder = "paused_under"
        /// The purchase was made in the Sandbox, whose purchases do not count for this user.
        case sandboxNotAllowed = "sandbox_not_allowed"
        /// The add-on needs coverage of a tier that the user does not have now.
        case requiresTier = "requires_tier"
        /// The purchase is shared by a family, and the catalogue does not let the product be shared.
        case familyShared = "family_shared"
        /// Another period took the place of the plan's period, or a later act the place of an act.
        case superseded
        /// The catalogue does not have the product.
        case unknownProduct = "unknown_product"
        /// The store states another type than the catalogue's kind.
        case productTypeMismatch = "product_type_mismatch"
        /// The signed states of the purchase name different products, so it gives nothing until an operator has looked.
        case quarantined
        /// Another user has the purchase now.
        case transferred
    }

    package let key: PurchaseKey
    /// The catalogue's id of the product; nil while no version knows the product, and for a grant that names no
    /// product.
    package let productID: ProductID?
    /// The facts about the purchase, in the order of recording.
    package let facts: [PurchaseFact]
    package let gives: [Interval]
    /// The reason why the purchase gives nothing; nil while it gives something, and while its store suspends it.
    package let reason: Reason?
}

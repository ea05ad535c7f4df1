/// The access, features or credits that one purchase gives at an instant.
package struct Entitlement: Hashable, Sendable {
    /// The state of the purchase; the raw value is what the API writes.
    package enum State: String, Hashable, Sendable {
        case running
        case queued
        case paused
        case finished
        case revoked
        case grace
        case billingRetry = "billing_retry"
        case suspended
        case recorded
    }

    package let key: PurchaseKey
    /// The catalogue's id of the product; for a plan, of the product of the period shown (`semantics.md` §7). Nil while
    /// no version knows the product, and for a grant that names no product.
    package let productID: ProductID?
    /// The store's own name of the same product; nil for a grant.
    package let storeProductID: ProductID?
    /// The plan id of the same product, such as `monthly_1`; nil if it has none.
    package let planID: String?
    /// The kind of the product; nil while the catalogue does not know the product.
    package let kind: ProductKind?
    /// The number of units of the product that were bought at once; 1 for a plan and for a grant.
    package let quantity: Int
    package let tier: TierID?
    package let state: State
    /// The start of the stretch in which the purchase gives something now, else of the next such stretch, else of the
    /// last (`semantics.md` §2); nil if there is none.
    package let startsAt: Instant?
    /// The end of the same stretch; nil if there is none, or it never ends.
    package let endsAt: Instant?
    /// The length of a pass in its environment, times its quantity and before refunds, in milliseconds; nil for a
    /// purchase that is no pass.
    package let length: Int64?
    /// True if the plan renews; nil for a purchase that is no plan.
    package let willRenew: Bool?
    /// The details of a plan that a store renews; nil for any other purchase.
    package let plan: PlanDetails?
}

/// An add-on that the user owns (`semantics.md` §3).
package struct AddOn: Hashable, Sendable {
    /// The state of the add-on; the raw value is what the API writes.
    package enum State: String, Hashable, Sendable {
        case active
        case suspended
        case revoked
    }

    package let productID: ProductID
    package let features: [Feature]
    package let state: State

    package init(productID: ProductID, features: [Feature], state: State) {
        self.productID = productID
        self.features = features
        self.state = state
    }
}

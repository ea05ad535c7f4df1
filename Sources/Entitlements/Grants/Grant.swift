/// A grant by an operator (`semantics.md` §7). It is a purchase of the source `manual`, with an identity of its own.
package struct Grant: Hashable, Sendable {
    /// The access or credits that a grant gives.
    package enum Gift: Hashable, Sendable {
        /// A pass of `length` milliseconds in the lane of `tier`, anchored at `grantedAt`.
        case pass(tier: TierID, length: Int64)
        /// A window from `grantedAt` until `endsAt`.
        case window(tier: TierID, endsAt: Instant)
        /// An add-on that the catalogue sells for `app` through the App Store.
        case addOn(ProductID, app: AppID)
        /// A promotional lot, which may expire.
        case credits(unit: String, amount: Int, expiresAt: Instant?)
    }

    package let key: PurchaseKey
    package let gift: Gift
    /// The instant from which the grant counts.
    package let grantedAt: Instant

    package init(key: PurchaseKey, gift: Gift, grantedAt: Instant) {
        self.key = key
        self.gift = gift
        self.grantedAt = grantedAt
    }

    /// Returns the identity of the grant with this id. A grant belongs to no app, and to the environment Production.
    package static func key(_ id: ExternalID) -> PurchaseKey {
        PurchaseKey(source: .manual, app: AppID(""), environment: .production, externalID: id)
    }
}

/// An operator's grant (`semantics.md` §7): a purchase of the manual source, under an identity of its own.
package struct Grant: Hashable, Sendable {
    /// The access or credits that a grant gives.
    package enum Gift: Hashable, Sendable {
        /// A pass of `length` milliseconds in the lane of `tier`, anchored when it was granted.
        case pass(tier: TierID, length: Int64)
        /// A window from when it was granted until `endsAt`.
        case window(tier: TierID, endsAt: Instant)
        /// An add-on of the App Store's catalogue for `app`.
        case addOn(ProductID, app: AppID)
        /// A promotional lot, which may expire.
        case credits(unit: String, amount: Int, expiresAt: Instant?)
    }

    package let key: PurchaseKey
    package let gift: Gift
    /// The instant from which it counts.
    package let grantedAt: Instant

    package init(key: PurchaseKey, gift: Gift, grantedAt: Instant) {
        self.key = key
        self.gift = gift
        self.grantedAt = grantedAt
    }

    /// The identity of the grant named `id`; grants belong to no app and count in production.
    package static func key(_ id: ExternalID) -> PurchaseKey {
        PurchaseKey(source: .manual, app: AppID(""), environment: .production, externalID: id)
    }
}

/// An uninterrupted run of one pass, or a part of a window: `[startsAt, endsAt)` at one tier.
package struct Segment: Hashable, Sendable {
    package let lane: LaneID
    package let tier: TierID
    package let tierRank: Int
    package let key: PurchaseKey
    /// The catalogue's id of the product; nil for a grant that names no product.
    package let productID: ProductID?
    /// The store's own name of the product; nil for a grant.
    package let storeProductID: ProductID?
    package let startsAt: Instant
    package let endsAt: Instant

    var interval: Interval { Interval(startsAt: startsAt, endsAt: endsAt) }

    /// True if this segment decides the tier where both cover: it has the higher rank, or of equal ranks the lane whose
    /// name comes first.
    func outranks(_ other: Segment) -> Bool {
        tierRank != other.tierRank ? tierRank > other.tierRank : lane < other.lane
    }
}

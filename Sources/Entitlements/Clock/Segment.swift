/// An uninterrupted run of one pass, or a window: `[startsAt, endsAt)` at one tier.
package struct Segment: Hashable, Sendable {
    package let lane: LaneID
    package let tier: TierID
    package let tierRank: Int
    package let key: PurchaseKey
    package let startsAt: Instant
    package let endsAt: Instant

    package init(lane: LaneID, tier: TierID, tierRank: Int, key: PurchaseKey, startsAt: Instant, endsAt: Instant) {
        self.lane = lane
        self.tier = tier
        self.tierRank = tierRank
        self.key = key
        self.startsAt = startsAt
        self.endsAt = endsAt
    }
}

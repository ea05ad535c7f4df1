/// A segment of coverage, and the purchase that it comes from.
package struct Coverage: Hashable, Sendable {
    package let segment: Segment
    /// The index of the purchase in ``Timeline/purchases``.
    package let purchase: Int
    /// The index of the window in ``Purchase/windows``; nil for a pass.
    let window: Int?
    /// The device seats that the product itself gives; nil if its tier says how many.
    package let seats: Int?
    /// True for grace and leeway (`Window.graces`), which count only once they have begun: an answer for an earlier
    /// instant does not promise them.
    package let isGrace: Bool
    /// True for leeway, which this server grants.
    let isLeeway: Bool

    package func covers(_ instant: Instant) -> Bool {
        segment.startsAt <= instant && instant < segment.endsAt
    }

    /// The order by start. Ties: the higher rank first, then by lane, then the earlier end, then by the purchase's key.
    static func precedes(_ left: Coverage, _ right: Coverage) -> Bool {
        let (first, second) = (left.segment, right.segment)
        if first.startsAt != second.startsAt { return first.startsAt < second.startsAt }
        if first.tierRank != second.tierRank { return first.tierRank > second.tierRank }
        if first.lane != second.lane { return first.lane < second.lane }
        if first.endsAt != second.endsAt { return first.endsAt < second.endsAt }
        return first.key < second.key
    }
}

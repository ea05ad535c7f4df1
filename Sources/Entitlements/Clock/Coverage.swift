/// A piece of coverage and what it comes from.
package struct Coverage: Hashable, Sendable {
    package let segment: Segment
    /// The position of its purchase in the timeline.
    package let purchase: Int
    /// The product's own seats, which go before its tier's.
    package let seats: Int?
    /// True for grace, which counts only once it was entered.
    package let isGrace: Bool

    package func covers(_ instant: Instant) -> Bool {
        segment.startsAt <= instant && instant < segment.endsAt
    }

    /// The order by start; of coverage that starts together the higher first, then by lane and id.
    static func precedes(_ left: Coverage, _ right: Coverage) -> Bool {
        let (first, second) = (left.segment, right.segment)
        if first.startsAt != second.startsAt { return first.startsAt < second.startsAt }
        if first.tierRank != second.tierRank { return first.tierRank > second.tierRank }
        if first.lane != second.lane { return first.lane < second.lane }
        if first.endsAt != second.endsAt { return first.endsAt < second.endsAt }
        return first.key < second.key
    }
}

/// A piece of coverage and what it comes from.
package struct Coverage: Hashable, Sendable {
    package let segment: Segment
    /// The position of its purchase in the timeline.
    package let purchase: Int
    /// The product's own seats, which go before its tier's.
    package let seats: Int?
    /// Whether it counts only once entered.
    package let isGrace: Bool

    package func covers(_ instant: Instant) -> Bool {
        segment.startsAt <= instant && instant < segment.endsAt
    }

    /// By start; of those that start together the higher first, then by lane and id.
    static func precedes(_ left: Coverage, _ right: Coverage) -> Bool {
        let (first, second) = (left.segment, right.segment)
        if first.startsAt != second.startsAt { return first.startsAt < second.startsAt }
        if first.tierRank != second.tierRank { return first.tierRank > second.tierRank }
        if first.lane != second.lane { return first.lane < second.lane }
        if first.endsAt != second.endsAt { return first.endsAt < second.endsAt }
        return first.key < second.key
    }
}

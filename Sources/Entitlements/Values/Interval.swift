/// The interval `[startsAt, endsAt)`; an end of nil is for ever.
package struct Interval: Hashable, Sendable {
    package let startsAt: Instant
    package let endsAt: Instant?

    package init(startsAt: Instant, endsAt: Instant?) {
        self.startsAt = startsAt
        self.endsAt = endsAt
    }

    /// Returns the part within `other`; nil if there is none.
    func part(within other: Interval) -> Interval? {
        let start = max(startsAt, other.startsAt)
        let end = [endsAt, other.endsAt].compactMap { $0 }.min()
        guard end.map({ start < $0 }) ?? true else { return nil }
        return Interval(startsAt: start, endsAt: end)
    }
}

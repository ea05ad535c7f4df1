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

    /// Returns the stretches that `intervals`, sorted by start, cover without a gap.
    static func stretches(of intervals: [Interval]) -> [Interval] {
        intervals.reduce(into: []) { stretches, next in
            guard let last = stretches.last, last.endsAt.map({ next.startsAt <= $0 }) ?? true else {
                return stretches.append(next)
            }
            let end = last.endsAt.flatMap { end in next.endsAt.map { max(end, $0) } }
            stretches[stretches.count - 1] = Interval(startsAt: last.startsAt, endsAt: end)
        }
    }
}

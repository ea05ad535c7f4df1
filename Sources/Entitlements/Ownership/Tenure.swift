/// A stretch of time in which a user has a purchase; one that goes away and comes back has two (`semantics.md` §5).
package struct Tenure: Hashable, Sendable {
    /// When the purchase came from another user; nil for the first tenure, which is as old as the purchase.
    package let startsAt: Instant?
    /// When the purchase went to another user; exclusive, nil while the user has it.
    package internal(set) var endsAt: Instant?
    package let arrival: Handover?
    package internal(set) var departure: Handover?

    init(startsAt: Instant? = nil, arrival: Handover? = nil) {
        self.startsAt = startsAt
        self.arrival = arrival
    }

    /// True if the user has the purchase at `instant`.
    package func holds(at instant: Instant) -> Bool {
        hasBegun(by: instant) && !hasEnded(by: instant)
    }

    func hasBegun(by instant: Instant) -> Bool { startsAt.map { $0 <= instant } ?? true }

    func hasEnded(by instant: Instant) -> Bool { endsAt.map { $0 <= instant } ?? false }

    /// The part of `interval` that lies within; nil when none does.
    func part(of interval: Interval) -> Interval? {
        interval.part(within: Interval(startsAt: startsAt ?? interval.startsAt, endsAt: endsAt))
    }
}

/// A stretch of time in which a user has a purchase. A purchase that leaves and comes back has two tenures
/// (`semantics.md` §5).
package struct Tenure: Hashable, Sendable {
    /// The instant of the transfer to the user; nil if nobody had the purchase before, so that the tenure is as old as
    /// the purchase.
    package let startsAt: Instant?
    /// The instant of the transfer to another user, exclusive; nil while the user has the purchase.
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

    /// Returns the part of `interval` within the tenure; nil if there is none.
    func part(of interval: Interval) -> Interval? {
        interval.part(within: Interval(startsAt: startsAt ?? interval.startsAt, endsAt: endsAt))
    }
}

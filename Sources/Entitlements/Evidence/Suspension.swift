/// A stretch of a period in which the store suspends it: nothing is covered, and nothing is refunded either.
package struct Suspension: Hashable, Sendable {
    package let startsAt: Instant
    /// Exclusive; nil until the period's end.
    package let endsAt: Instant?

    package init(startsAt: Instant, endsAt: Instant?) {
        self.startsAt = startsAt
        self.endsAt = endsAt
    }
}

/// A part of a period in which the store suspends it. In this part the period covers nothing, and nothing is refunded.
package struct Suspension: Hashable, Sendable {
    package let startsAt: Instant
    /// The end, exclusive; nil if the suspension lasts to the end of the period.
    package let endsAt: Instant?

    package init(startsAt: Instant, endsAt: Instant?) {
        self.startsAt = startsAt
        self.endsAt = endsAt
    }
}

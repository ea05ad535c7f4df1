/// What a source says of the money for a period (`semantics.md` §7, "Cards"). A state that names none is of a period
/// for which no money is missing.
package struct Bill: Hashable, Sendable {
    /// The source's number of it; nil where it names none.
    package let id: String?
    package let isPaid: Bool
    /// Until when the source lets the period go on without the money.
    package let graceEndsAt: Instant?

    package init(_ id: String?, isPaid: Bool, graceEndsAt: Instant? = nil) {
        self.id = id
        self.isPaid = isPaid
        self.graceEndsAt = graceEndsAt
    }
}

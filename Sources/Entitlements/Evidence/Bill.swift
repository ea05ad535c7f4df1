/// The money for a period, as its source says (`semantics.md` §7, "Cards"). No money is missing for a period whose
/// state has no bill.
package struct Bill: Hashable, Sendable {
    /// The source's number of it; nil where it names none.
    package let id: String?
    package let isPaid: Bool
    /// Until when the source lets the period go on without the money.
    package let graceEndsAt: Instant?
    /// How much was paid in all, in the smallest unit of the currency; nil where the source does not say.
    package let amountPaid: Int64?

    package init(_ id: String?, isPaid: Bool, graceEndsAt: Instant? = nil, amountPaid: Int64? = nil) {
        self.id = id
        self.isPaid = isPaid
        self.graceEndsAt = graceEndsAt
        self.amountPaid = amountPaid
    }
}

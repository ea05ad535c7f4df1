/// The bill for a period, such as an invoice of card billing (`semantics.md` §7, "Cards"). A state of a period has a
/// bill only while its source says that money is missing.
package struct Bill: Hashable, Sendable {
    /// The id that the source gives the bill; nil if the source names none.
    package let id: String?
    package let isPaid: Bool
    /// The end of the grace in which the source lets the unpaid period go on.
    package let graceEndsAt: Instant?
    /// The amount that was paid in all, in the smallest unit of the currency; nil if the source does not say.
    package let amountPaid: Int64?

    package init(_ id: String?, isPaid: Bool, graceEndsAt: Instant? = nil, amountPaid: Int64? = nil) {
        self.id = id
        self.isPaid = isPaid
        self.graceEndsAt = graceEndsAt
        self.amountPaid = amountPaid
    }
}

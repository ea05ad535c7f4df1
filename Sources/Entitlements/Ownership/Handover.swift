/// How a purchase went from one user to another: both ledgers hold the same one (`semantics.md` §5).
package struct Handover: Hashable, Sendable {
    /// On whose word; the raw value is what the ledger writes.
    package enum Cause: String, Hashable, Sendable, CaseIterable {
        /// The catalogue's policy, with proof of the same Apple account.
        case policy
        case `operator`
        /// A guest's account went into another one.
        case merge
        /// The same Apple account claimed what an erased person had.
        case reclaim
    }

    package let cause: Cause
    /// Of a pass: how long it had run with all earlier owners, in milliseconds.
    package let ran: Int64
    /// Of a lot: the units that moved; the rest stays where it was spent.
    package let units: Int
    /// Of a lot that goes along with what is owed: how many units of a refund of the whole lot go along; nil elsewhere.
    package let refunds: Int?
    /// The name of the request that asked for it, so that its repeat finds what it did; nil where nobody repeats one.
    package let request: String?

    package init(cause: Cause, ran: Int64 = 0, units: Int = 0, refunds: Int? = nil, request: String? = nil) {
        self.cause = cause
        self.ran = ran
        self.units = units
        self.refunds = refunds
        self.request = request
    }

    /// The same with `units` of a lot left behind.
    func leaving(_ units: Int) -> Handover {
        Handover(cause: cause, ran: ran, units: max(0, self.units - units), refunds: refunds, request: request)
    }

    func asked(by request: String?) -> Handover {
        Handover(cause: cause, ran: ran, units: units, refunds: refunds, request: request)
    }
}

/// How a purchase went from one user to another: both ledgers hold the same one (`semantics.md` §5).
package struct Handover: Hashable, Sendable {
    /// On whose word; the raw value is what the ledger writes.
    package enum Cause: String, Hashable, Sendable, CaseIterable {
        /// The catalogue's policy, with proof of the same Apple account.
        case policy
        case `operator`
        /// A guest's account went into another one.
        case merge
        /// The Apple account of an erased person claimed what that person had.
        case reclaim
    }

    package let cause: Cause
    /// The time that a pass had run with all earlier owners, in milliseconds.
    package let ran: Int64
    /// The units of a lot that moved; the rest stays where it was spent.
    package let units: Int
    /// The label of the request for the handover, by which a repeat finds its act; nil where requests are not repeated.
    package let request: Label?

    package init(cause: Cause, ran: Int64 = 0, units: Int = 0, request: Label? = nil) {
        self.cause = cause
        self.ran = ran
        self.units = units
        self.request = request
    }

    func asked(by request: Label?) -> Handover {
        Handover(cause: cause, ran: ran, units: units, request: request)
    }
}

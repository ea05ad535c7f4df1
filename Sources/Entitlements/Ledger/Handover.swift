/// The details of a transfer; the ledgers of giver and receiver hold the same ones (`semantics.md` §5).
package struct Handover: Hashable, Sendable {
    /// The reason for the transfer; the raw value is what the ledger writes.
    package enum Cause: String, Hashable, Sendable, CaseIterable {
        /// The catalogue's policy allowed it, and the receiver proved the same Apple account.
        case policy
        case `operator`
        /// The account of a guest was merged into the receiver's.
        case merge
        /// The receiver proved the Apple account whose own user had the purchase.
        case adopt
        /// The receiver proved the Apple account of an erased person who had the purchase.
        case reclaim
    }

    package let cause: Cause
    /// The time that a pass had run with all owners before the transfer, in milliseconds.
    package let ran: Int64
    /// The units of a lot that moved; the units that were spent stay with the giver.
    package let units: Int
    /// The label of the request for the transfer, by which a repeat of the request is recognized; nil if the request
    /// has no label.
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

/// The state of one holding at an instant.
package struct LotState: Sendable {
    package let holding: LotHolding
    /// The units held, drawn and refunded ones included.
    package private(set) var amount = 0
    /// This user's part of the refunded total, whether or not it could be taken.
    private var refundDue = 0
    package private(set) var spent = 0
    package private(set) var reserved = 0
    /// Units of this lot that stand in for what refunds could not take elsewhere in the purse.
    package internal(set) var repaid = 0
    /// Nil until the lot expires; then the units that outlived it because they were used in repayment, less what was
    /// drawn of them since.
    private var survivors: Int?

    init(_ holding: LotHolding) { self.holding = holding }

    package var drawn: Int { spent + reserved }

    /// A refund takes first what is not drawn; the rest is owed, or written off and not taken.
    package var refunded: Int {
        switch holding.lot.onShortfall {
        case .debt: refundDue
        case .writeOff: min(refundDue, max(0, amount - drawn))
        }
    }

    package var writtenOff: Int { refundDue - refunded }

    /// Units that neither a refund nor an act took; negative when a refund found too little.
    private var left: Int { amount - refunded - drawn }

    /// The lot's part of the balance: what is left of it and has not expired.
    var free: Int { min(left, survivors.map { max(0, $0) } ?? left) }

    /// Units that a refund could not take from the lot.
    var shortfall: Int { max(0, -left) }

    /// Units that expired. A refund takes these before others, so the number shrinks by a refund and comes back by its
    /// reversal.
    package var expired: Int { left - free }

    /// The units that a spend may draw.
    package var available: Int { max(0, free) - repaid }

    /// Follows what is held at `instant`. Only units that are alive change hands once a lot has expired.
    mutating func follow(to instant: Instant) {
        let held = holding.amount(at: instant)
        survivors = survivors.map { $0 + held - amount }
        amount = held
        refundDue = holding.refundDue(at: instant)
    }

    mutating func expire() { survivors = repaid }

    mutating func spend(_ units: Int) {
        spent += units
        survivors = survivors.map { $0 - units }
    }

    mutating func reserve(_ units: Int) {
        reserved += units
        survivors = survivors.map { $0 - units }
    }

    mutating func commit(_ units: Int) {
        reserved -= units
        spent += units
    }

    /// Units that were reserved before the lot expired expire now.
    mutating func release(_ units: Int, reservedAt: Instant) {
        reserved -= units
        guard let expiresAt = holding.lot.expiresAt, reservedAt >= expiresAt else { return }
        survivors = survivors.map { $0 + units }
    }
}

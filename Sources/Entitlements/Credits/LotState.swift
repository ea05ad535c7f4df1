/// The state of one user's holding of a lot at an instant.
package struct LotState: Sendable {
    package let holding: LotHolding
    /// The units that the user holds. Drawn and refunded units are among them.
    package private(set) var amount = 0
    /// The units that a refund should take from this user, whether or not they are there.
    private var refundDue = 0
    package private(set) var spent = 0
    package private(set) var reserved = 0
    /// The units of this lot in repayment: they stand in for units that a refund could not take from other lots of the
    /// purse.
    package internal(set) var repaid = 0
    /// The units that are still valid after the lot's expiry; nil before it. They are the units that were in repayment
    /// at the expiry, less those that were drawn since.
    private var survivors: Int?

    init(_ holding: LotHolding) { self.holding = holding }

    package var drawn: Int { spent + reserved }

    /// The units that count as refunded. A refund takes first the units that are not drawn. Missing units are owed, and
    /// count too, unless the product says `on_shortfall: write_off`.
    package var refunded: Int {
        switch holding.lot.onShortfall {
        case .debt: refundDue
        case .writeOff: min(refundDue, max(0, amount - drawn))
        }
    }

    package var writtenOff: Int { refundDue - refunded }

    /// The units that neither a refund nor an act took; below 0 if a refund found too few.
    private var left: Int { amount - refunded - drawn }

    /// The units of the lot that count for the balance: those that are left and have not expired. Below 0 if a refund
    /// found too few.
    var free: Int { min(left, survivors.map { max(0, $0) } ?? left) }

    /// The units that a refund could not take from this lot.
    var shortfall: Int { max(0, -left) }

    /// The units that expired. A refund takes expired units first, so it lowers this number, and its reversal raises it
    /// again.
    package var expired: Int { left - free }

    /// The units that a spend may draw.
    package var available: Int { max(0, free) - repaid }

    /// The units that a transfer of the lot would move: those that are not drawn, expired or in repayment.
    ///
    /// Refunded units move too, so that the new owner gets them if the refund is reversed. At most the units of the
    /// user's newest stake move. Units that were drawn in an earlier tenure and became free later stay with the user,
    /// as they do with any former owner.
    var unitsToMove: Int {
        let arrived = holding.stakes.last?.units.count ?? 0
        return min(arrived, max(0, amount - drawn - expired - repaid))
    }

    /// Sets the units held and the refund due to their values at `instant`. After the lot's expiry only units that are
    /// still valid move to another user.
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

    /// Frees reserved units. If they were reserved before the lot expired, and it has expired by now, they expire.
    mutating func release(_ units: Int, reservedAt: Instant) {
        reserved -= units
        guard let expiresAt = holding.lot.expiresAt, reservedAt >= expiresAt else { return }
        survivors = survivors.map { $0 + units }
    }
}

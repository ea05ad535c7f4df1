/// Units of a lot that are owed, on their way from an erased person to whoever has the same Apple account
/// (`semantics.md` §5). The lot stays where it is: only its refunds are given up elsewhere from then on, and their reversal
/// is noticed there.
package struct Debt: Hashable, Sendable {
    package let unit: String
    /// Which of the units of a refund of the whole lot.
    package let refunds: Range<Int>

    package init(unit: String, refunds: Range<Int>) {
        self.unit = unit
        self.refunds = refunds
    }
}

/// A debt on its way.
package struct DebtMove: Hashable, Sendable {
    package let lot: PurchaseKey
    package let giver: UserID
    package let receiver: UserID
    package let debt: Debt
    /// When it holds in both ledgers.
    package let effectiveAt: Instant

    package init(
        of lot: PurchaseKey, from giver: UserID, to receiver: UserID, _ debt: Debt, at effectiveAt: Instant
    ) {
        self.lot = lot
        self.giver = giver
        self.receiver = receiver
        self.debt = debt
        self.effectiveAt = effectiveAt
    }
}

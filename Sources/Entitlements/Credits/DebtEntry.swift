/// A debt that came or went, as a ledger holds it.
package struct DebtEntry: Hashable, Sendable {
    package let debt: Debt
    /// Whether it came; else it went.
    package let isTakenOver: Bool
    package let effectiveAt: Instant

    package init(_ debt: Debt, isTakenOver: Bool, at effectiveAt: Instant) {
        self.debt = debt
        self.isTakenOver = isTakenOver
        self.effectiveAt = effectiveAt
    }

    /// Nil for any other fact.
    init?(_ entry: LedgerEntry) {
        switch entry.fact {
        case .debtPassedOn(let debt): self.init(debt, isTakenOver: false, at: entry.effectiveAt)
        case .debtTakenOver(let debt): self.init(debt, isTakenOver: true, at: entry.effectiveAt)
        case .stated, .bound, .granted, .withdrawn, .gaveAway, .received, .credit, .device, .sandboxTester,
            .consumptionConsent:
            return nil
        }
    }
}

/// A credit act as a ledger holds it.
package struct CreditEntry: Hashable, Sendable {
    package let act: CreditAct
    package let effectiveAt: Instant

    package init(_ act: CreditAct, at effectiveAt: Instant) {
        self.act = act
        self.effectiveAt = effectiveAt
    }

    /// Nil for any other fact.
    package init?(_ entry: LedgerEntry) {
        guard case .credit(let act) = entry.fact else { return nil }
        self.init(act, at: entry.effectiveAt)
    }
}

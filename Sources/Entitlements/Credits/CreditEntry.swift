/// An act with credits, and the instant from which it holds.
package struct CreditEntry: Hashable, Sendable {
    package let act: CreditAct
    package let effectiveAt: Instant

    package init(_ act: CreditAct, at effectiveAt: Instant) {
        self.act = act
        self.effectiveAt = effectiveAt
    }

    /// Returns nil for an entry that is no act with credits.
    package init?(_ entry: LedgerEntry) {
        guard case .credit(let act) = entry.fact else { return nil }
        self.init(act, at: entry.effectiveAt)
    }
}

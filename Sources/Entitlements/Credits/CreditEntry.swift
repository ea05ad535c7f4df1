/// A credit act as a ledger holds it.
package struct CreditEntry: Hashable, Sendable {
    package let act: CreditAct
    package let effectiveAt: Instant
    package let note: Note?

    package init(_ act: CreditAct, at effectiveAt: Instant, note: Note? = nil) {
        self.act = act
        self.effectiveAt = effectiveAt
        self.note = note
    }

    /// Nil for any other fact.
    package init?(_ entry: LedgerEntry) {
        guard case .credit(let act) = entry.fact else { return nil }
        self.init(act, at: entry.effectiveAt, note: entry.note)
    }
}

extension OperatorAct {
    /// A purchase or a grant that an operator took back.
    package struct Withdrawal: Hashable, Sendable {
        /// The instant from which on it is withdrawn.
        package let at: Instant
        /// True if it is a plan, of which later renewals go too (`semantics.md` §7).
        package let takesRenewals: Bool
    }

    /// Withdraws a whole purchase or grant from now on. No reversal of the store undoes that (`semantics.md` §2).
    package func withdraw(
        _ key: PurchaseKey, given history: PurchaseHistory, in context: FoldContext
    ) -> Decision<Withdrawal, OperatorRefusal> {
        guard history.timeline(of: user, in: context).position(ofHeld: key) != nil else {
            return Decision(answer: .failure(key.source == .manual ? .unknownGrant : .unknownPurchase))
        }
        let isPlan = history.purchases[key]?.states.contains { $0.type == .plan } ?? false
        if let withdrawnAt = history.ledger(of: user).withdrawnAt(key) {
            return Decision(answer: .success(Withdrawal(at: withdrawnAt, takesRenewals: isPlan)))
        }
        return Decision(
            drafts: [user: [.init(.withdrawn(key), at: history.now, note: note)]],
            answer: .success(Withdrawal(at: history.now, takesRenewals: isPlan)))
    }
}

extension OperatorAct {
    /// Withdraws a whole purchase or grant from now on. No reversal of the store undoes that (`semantics.md` §2). The
    /// answer is the instant from which on it is withdrawn.
    package func withdraw(
        _ key: PurchaseKey, given history: PurchaseHistory, in context: FoldContext
    ) -> Decision<Instant, OperatorRefusal> {
        guard history.timeline(of: user, in: context).position(ofHeld: key) != nil else {
            return Decision(answer: .failure(key.source == .manual ? .unknownGrant : .unknownPurchase))
        }
        if let withdrawnAt = history.ledger(of: user).withdrawnAt(key) {
            return Decision(answer: .success(withdrawnAt))
        }
        return Decision(
            drafts: [user: [.init(.withdrawn(key), at: history.now, note: note)]], answer: .success(history.now))
    }
}

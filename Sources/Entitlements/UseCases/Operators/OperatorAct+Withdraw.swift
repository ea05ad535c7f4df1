extension OperatorAct {
    /// Takes a purchase back, whole, from now on: what a store sold, which no reversal of the store's brings back
    /// (`semantics.md` §2), or a grant. Answers since when it is withdrawn.
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

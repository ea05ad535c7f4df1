/// An operator takes a purchase back, whole, from now on: what a store sold, which no reversal of the store's brings
/// back (`semantics.md` §2), or a grant.
///
/// Repeat is safe: what was taken back once is not taken back again, and the answer is the first.
package struct WithdrawPurchase: Sendable {
    package let key: PurchaseKey
    package let user: UserID
    package let note: Note
    package let context: FoldContext

    package init(_ key: PurchaseKey, of user: UserID, note: Note, in context: FoldContext) {
        self.key = key
        self.user = user
        self.note = note
        self.context = context
    }

    /// Since when it is withdrawn.
    package func decide(given history: PurchaseHistory) -> Decision<Instant, WithdrawPurchaseRefusal> {
        guard history.timeline(of: user, in: context).position(ofHeld: key) != nil else {
            return Decision(answer: .failure(.unknownPurchase))
        }
        if let withdrawnAt = history.ledger(of: user).withdrawnAt(key) {
            return Decision(answer: .success(withdrawnAt))
        }
        return Decision(
            drafts: [user: [.init(.withdrawn(key), at: history.now, note: note)]], answer: .success(history.now))
    }
}

/// Why nothing was withdrawn; the raw value is the problem's code.
package enum WithdrawPurchaseRefusal: String, Error, Hashable, Sendable, CaseIterable {
    /// The user has no such purchase.
    case unknownPurchase = "unknown_purchase"
}

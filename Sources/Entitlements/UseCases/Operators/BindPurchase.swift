/// An operator makes a user's what no living person has: a purchase that is recorded and unowned, or the rest of what
/// an erased person had (`semantics.md` §5). Neither policies nor limits hold an operator back.
///
/// Repeat is safe: what is theirs stays theirs.
package struct BindPurchase: Sendable {
    package let key: PurchaseKey
    package let user: UserID
    package let note: Note
    package let context: FoldContext

    package init(_ key: PurchaseKey, to user: UserID, note: Note, in context: FoldContext) {
        self.key = key
        self.user = user
        self.note = note
        self.context = context
    }

    /// Answers the purchase that became, or was, the user's.
    package func decide(given history: PurchaseHistory) -> Decision<PurchaseKey, BindRefusal> {
        guard let known = history.purchases[key], known.owner != nil || !known.states.isEmpty else {
            return Decision(answer: .failure(.unknownPurchase))
        }
        guard let owner = known.owner else {
            return Decision(bindings: [key: user], bindingNote: note, answer: .success(key))
        }
        if owner == user { return Decision(answer: .success(key)) }
        guard owner.isErased else { return Decision(answer: .failure(.ownedByAnotherUser)) }
        let timeline = history.timeline(of: owner, in: context)
        guard let position = timeline.position(ofHeld: key) else {
            return Decision(answer: .failure(.unknownPurchase))
        }
        let moves = timeline.moves(
            of: [position], to: user, at: history.instantOfMove(from: owner, to: user), cause: .operator, note: note,
            request: nil)
        return Decision(moves: moves, answer: .success(key))
    }
}

/// Why nothing was bound; the raw value is the problem's code.
package enum BindRefusal: String, Error, Hashable, Sendable, CaseIterable {
    /// Nothing of this id was recorded.
    case unknownPurchase = "unknown_purchase"
    /// Somebody has it, from whom it can be transferred.
    case ownedByAnotherUser = "owned_by_another_user"
}

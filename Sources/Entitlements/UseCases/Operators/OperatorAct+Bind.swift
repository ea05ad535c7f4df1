extension OperatorAct {
    /// Binds to the user a purchase that no living person has: a recorded purchase without an owner, or the rest of an
    /// erased person's purchase (`semantics.md` §5). The answer is the key of the purchase, also if the user had it
    /// already.
    package func bind(
        _ key: PurchaseKey, given history: PurchaseHistory, in context: FoldContext
    ) -> Decision<PurchaseKey, OperatorRefusal> {
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

extension OperatorAct {
    /// Binds to the user a recorded purchase without an owner. What an erased person had stays where it is, because
    /// only the same Apple account can claim it (`semantics.md` §5). The answer is the key of the purchase, also if the
    /// user had it already.
    package func bind(
        _ key: PurchaseKey, given history: PurchaseHistory
    ) -> Decision<PurchaseKey, OperatorRefusal> {
        guard let known = history.purchases[key], known.owner != nil || !known.states.isEmpty else {
            return Decision(answer: .failure(.unknownPurchase))
        }
        guard let owner = known.owner else {
            return Decision(bindings: [key: user], bindingNote: note, answer: .success(key))
        }
        if owner == user { return Decision(answer: .success(key)) }
        return Decision(answer: .failure(owner.isErased ? .ownerErased : .ownedByAnotherUser))
    }
}

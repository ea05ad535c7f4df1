extension OperatorAct {
    /// Merges a guest into the user. The user gets every purchase that the guest has, and the account tokens that were
    /// issued to the guest. Devices never move. The answer is the keys of the purchases that moved, in order.
    ///
    /// - Parameters:
    ///   - name: The label by which deliveries mention the guest. From now on it stands for the user.
    ///   - request: The label of the request. A repeat changes nothing and gets the first answer.
    package func merge(
        _ guest: UserID, mentionedAs name: Label, request: Label? = nil, given history: PurchaseHistory,
        in context: FoldContext
    ) -> Decision<[PurchaseKey], OperatorRefusal> {
        guard guest != user else { return Decision(answer: .failure(.sameUser)) }
        // A legacy token is made of a user id, so it still names the user with that id.
        let tokens = history.tokenHolders.filter { !$0.key.isLegacyToken && $0.value == guest }
        guard !history.ledger(of: guest).entries.isEmpty || !tokens.isEmpty else {
            return Decision(answer: .failure(.unknownGuest))
        }
        if let done = history.done(request, from: guest) { return Decision(answer: .success(done)) }
        let timeline = history.timeline(of: guest, in: context)
        let held = timeline.purchases.indices.filter { timeline.purchases[$0].isHeld }
        let moves = timeline.moves(
            of: held, to: user, at: history.instantOfMove(from: guest, to: user), cause: .merge, note: note,
            request: request)
        // The guest's mention already stands for the guest if another user was merged into the guest before.
        let names = moves.isEmpty && tokens.isEmpty ? [] : Set(tokens.keys).union([name])
        return Decision(
            moves: moves, tokens: Dictionary(uniqueKeysWithValues: names.map { ($0, user) }),
            answer: .success(moves.keys.sorted()))
    }
}

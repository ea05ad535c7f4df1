extension OperatorAct {
    /// Puts a guest's account into the user's own: everything that the guest has, and the account token that was
    /// issued to them, for the guest is the user. Devices never move. Answers the purchases that came, by key.
    ///
    /// - Parameters:
    ///   - name: The name by which deliveries mention the guest, which names the user from now on.
    ///   - request: The label of the request; its repeat changes nothing and answers as the first time.
    package func merge(
        _ guest: UserID, mentionedAs name: Label, request: Label? = nil, given history: PurchaseHistory,
        in context: FoldContext
    ) -> Decision<[PurchaseKey], OperatorRefusal> {
        guard guest != user else { return Decision(answer: .failure(.sameUser)) }
        // A legacy token is made of a user id and goes on naming the user who has that id.
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
        // The guest's own name is a token too, if the user was merged into the guest before.
        let names = moves.isEmpty && tokens.isEmpty ? [] : Set(tokens.keys).union([name])
        return Decision(
            moves: moves, tokens: Dictionary(uniqueKeysWithValues: names.map { ($0, user) }),
            answer: .success(moves.keys.sorted()))
    }
}

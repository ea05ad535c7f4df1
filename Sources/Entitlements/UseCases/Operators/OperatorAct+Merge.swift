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
        // A sign-in by an Apple account records nothing, so its user need not be known.
        guard guest.isAppleAccount || !history.ledger(of: guest).entries.isEmpty || !history.tokens(of: guest).isEmpty
        else { return Decision(answer: .failure(.unknownGuest)) }
        if let done = history.done(request, from: guest) { return Decision(answer: .success(done)) }
        return history.merging(
            guest, mentionedAs: name, into: user, cause: .merge, note: note, request: request, in: context)
    }
}

extension PurchaseHistory {
    /// Returns the labels of the tokens and names that stand for `user`. A legacy token is made of a user id, so it
    /// still names the user with that id.
    func tokens(of user: UserID) -> Set<Label> {
        Set(tokenHolders.filter { !$0.key.isLegacyToken && $0.value == user }.keys)
    }

    /// Returns the decision that moves everything of `guest` to `user`. An Apple account is noted as the user's even if
    /// nothing moves.
    func merging<Refusal>(
        _ guest: UserID, mentionedAs name: Label, into user: UserID, cause: Handover.Cause, note: Note?,
        request: Label?, in context: FoldContext
    ) -> Decision<[PurchaseKey], Refusal> {
        let timeline = timeline(of: guest, in: context)
        let held = timeline.purchases.indices.filter { timeline.purchases[$0].isHeld }
        let moves = timeline.moves(
            of: held, to: user, at: instantOfMove(from: guest, to: user), cause: cause, note: note, request: request)
        let tokens = tokens(of: guest)
        let isNoted = !guest.isAppleAccount || tokenHolders[name] == user
        // The guest's mention already stands for the guest if another user was merged into the guest before.
        let names = moves.isEmpty && tokens.isEmpty && isNoted ? [] : tokens.union([name])
        return Decision(
            moves: moves, tokens: Dictionary(uniqueKeysWithValues: names.map { ($0, user) }),
            answer: .success(moves.keys.sorted()))
    }
}

/// A guest's account goes into a user's own: everything that the guest has, and the account token that was
/// issued to them, for the guest is the user. Devices never move.
package struct Merge: Sendable {
    package let guest: UserID
    package let user: UserID
    package let note: Note
    /// The name by which deliveries mention the guest, which names the user from now on.
    package let name: Label
    /// The label of the request; its repeat changes nothing and answers as the first time.
    package let request: Label?
    package let context: FoldContext

    package init(
        _ guest: UserID, into user: UserID, note: Note, mentionedAs name: Label, request: Label? = nil,
        in context: FoldContext
    ) {
        self.guest = guest
        self.user = user
        self.note = note
        self.name = name
        self.request = request
        self.context = context
    }

    /// Answers the purchases that came, by key.
    package func decide(given history: PurchaseHistory) -> Decision<[PurchaseKey], MergeRefusal> {
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

/// Why nothing was merged, in order of precedence; the raw value is the problem's code.
package enum MergeRefusal: String, Error, Hashable, Sendable, CaseIterable {
    case sameUser = "same_user"
    /// Nothing was ever recorded of the guest, and no account token was issued to them.
    case unknownGuest = "unknown_guest"
}

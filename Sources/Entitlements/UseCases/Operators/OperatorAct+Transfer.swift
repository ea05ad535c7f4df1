extension OperatorAct {
    /// The purchases that a transfer moves.
    package enum Selection: Hashable, Sendable {
        case one(PurchaseName)
        /// All purchases that the giver has.
        case all
    }

    /// Transfers the rest of the user's purchases to another user, who need not have been seen before (`semantics.md`
    /// §5). Devices never move. The answer is the keys of the purchases that moved, in order.
    ///
    /// - Parameter request: The label of the request. A repeat changes nothing and gets the first answer.
    package func transfer(
        _ selection: Selection, to receiver: UserID, request: Label? = nil, given history: PurchaseHistory,
        in context: FoldContext
    ) -> Decision<[PurchaseKey], OperatorRefusal> {
        guard user != receiver else { return Decision(answer: .failure(.sameUser)) }
        if let done = history.done(request, from: user) { return Decision(answer: .success(done)) }
        let timeline = history.timeline(of: user, in: context)
        let positions: [Int]
        switch selection {
        case .all:
            guard !history.ledger(of: user).entries.isEmpty else {
                return Decision(answer: .failure(.unknownPurchase))
            }
            positions = timeline.purchases.indices.filter { timeline.purchases[$0].isHeld }
        case .one(let name):
            switch timeline.position(ofHeld: name) {
            case .success(let position): positions = [position]
            case .failure(let refusal): return Decision(answer: .failure(refusal))
            }
        }
        let moves = timeline.moves(
            of: positions, to: receiver, at: history.instantOfMove(from: user, to: receiver), cause: .operator,
            note: note, request: request)
        return Decision(moves: moves, answer: .success(moves.keys.sorted()))
    }
}

extension Timeline {
    /// Returns the moves of the purchases at `positions` to `receiver`.
    func moves(
        of positions: [Int], to receiver: UserID, at instant: Instant, cause: Handover.Cause, note: Note?,
        request: Label?
    ) -> [PurchaseKey: Move] {
        let handovers = handovers(of: positions, at: instant, cause: cause).handovers
        return zip(positions, handovers).reduce(into: [:]) { moves, going in
            let (index, handover) = going
            moves[purchases[index].key] = Move(to: receiver, handover.asked(by: request), at: instant, note: note)
        }
    }
}

extension PurchaseHistory {
    /// Returns the instant from which a move holds: `now`, but not before the last act of giver or receiver, whose
    /// clock may be ahead of ours. Otherwise the move could give units away that were spent already.
    func instantOfMove(from giver: UserID, to receiver: UserID) -> Instant {
        max(now, ledger(of: giver).lastActAt, ledger(of: receiver).lastActAt)
    }

    /// Returns the purchases that `request` moved from `giver` when it first came; nil if it has not moved any.
    func done(_ request: Label?, from giver: UserID) -> [PurchaseKey]? {
        let given = request.map { ledger(of: giver).given(by: $0) } ?? []
        return given.isEmpty ? nil : given
    }
}

/// Draws units from one purse: spends them, or reserves them until they are committed or released or a deadline passes
/// (`semantics.md` §4).
///
/// An idempotency key draws once. A repeat gets the first answer and records nothing, but a refusal is not remembered.
package struct DrawCredits: Sendable {
    package let amount: CreditAmount
    package let purse: Purse
    package let user: UserID
    package let idempotencyKey: Label
    /// The label of the whole request. A later request with the same key is refused unless its label is the same.
    package let request: Label
    package let note: Note?

    package init(
        _ amount: CreditAmount, from purse: Purse, of user: UserID, idempotencyKey: Label, request: Label,
        note: Note? = nil
    ) {
        self.amount = amount
        self.purse = purse
        self.user = user
        self.idempotencyKey = idempotencyKey
        self.request = request
        self.note = note
    }

    package func spend(
        given history: PurchaseHistory, in catalogue: CatalogueVersions, under settings: EntitlementSettings
    ) -> Decision<SpendReceipt, DrawRefusal> {
        draw(from: CreditPosition(of: user, given: history, in: catalogue, settings)) { act in
            guard case .spent(let spend) = act, spend.request == request else { return nil }
            return SpendReceipt(spend)
        } recording: { draws, spendableAfter in
            let spend = Spend(
                idempotencyKey: idempotencyKey, request: request, purse: purse, amount: amount.units, draws: draws,
                spendableAfter: spendableAfter)
            return (.spent(spend), SpendReceipt(spend))
        }
    }

    /// Reserves the units for `time`. A new reservation gets the name `id`.
    package func reserve(
        for time: ReservationTime, as id: ReservationID, given history: PurchaseHistory,
        in catalogue: CatalogueVersions, under settings: EntitlementSettings
    ) -> Decision<Reservation, DrawRefusal> {
        let position = CreditPosition(of: user, given: history, in: catalogue, settings)
        return draw(from: position) { act in
            guard case .reserved(let reservation) = act, reservation.request == request else { return nil }
            return reservation
        } recording: { draws, _ in
            let reservation = Reservation(
                id: id, idempotencyKey: idempotencyKey, request: request, purse: purse, amount: amount.units,
                expiresAt: position.at + time.milliseconds, draws: draws)
            return (.reserved(reservation), reservation)
        }
    }

    /// Draws the units, unless the key was used before. `repeated` returns the answer of an earlier act of the same
    /// request, and nil for any other act. `act` makes the act and its answer from the draws.
    private func draw<Reply>(
        from position: CreditPosition, repeating repeated: (CreditAct) -> Reply?,
        recording act: (_ draws: [Draw], _ spendableAfter: Int) -> (CreditAct, Reply)
    ) -> Decision<Reply, DrawRefusal> {
        if let first = position.entry(under: idempotencyKey) {
            return Decision(answer: repeated(first.act).map { .success($0) } ?? .failure(.keyReused))
        }
        switch position.draw(amount, from: purse) {
        case .failure(let refusal): return Decision(answer: .failure(refusal))
        case .success(let (draws, spendableAfter)):
            let (act, reply) = act(draws, spendableAfter)
            return Decision(
                drafts: [user: [LedgerEntry.Draft(.credit(act), at: position.at, note: note)]],
                answer: .success(reply))
        }
    }
}

/// The reason why units are not drawn, in order of precedence. The raw value is the code of the problem.
package enum DrawRefusal: String, Error, Hashable, Sendable, CaseIterable {
    /// The key belongs to another request of this user.
    case keyReused = "idempotency_key_reused"
    case unknownUnit = "unknown_unit"
    case inDebt = "in_debt"
    case insufficientCredits = "insufficient_credits"
}

/// The answer to a spend: the units spent, the lots that they come from, and the balance afterwards.
package struct SpendReceipt: Hashable, Sendable {
    package let spent: Int
    package let draws: [Draw]
    package let spendable: Int
    package let debt: Int

    init(spent: Int, draws: [Draw], spendable: Int, debt: Int) {
        self.spent = spent
        self.draws = draws
        self.spendable = spendable
        self.debt = debt
    }

    /// Makes the answer as it was when the spend was recorded. The debt was 0, because nobody in debt can spend.
    init(_ spend: Spend) {
        self.init(spent: spend.amount, draws: spend.draws, spendable: spend.spendableAfter, debt: 0)
    }
}

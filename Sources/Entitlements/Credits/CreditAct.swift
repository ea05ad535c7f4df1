/// An act with credits by a user, or by a server for a user (`semantics.md` §4).
package enum CreditAct: Hashable, Sendable {
    case spent(Spend)
    case reserved(Reservation)
    /// A reservation was committed: `amount` of its units are spent, the rest are free again.
    case committed(ReservationID, amount: Int)
    case released(ReservationID)
}

/// Units drawn from one lot.
package struct Draw: Hashable, Sendable {
    package let lot: PurchaseKey
    package let amount: Int

    package init(lot: PurchaseKey, amount: Int) {
        self.lot = lot
        self.amount = amount
    }
}

/// Units that a user spent.
package struct Spend: Hashable, Sendable {
    /// The label of the caller's idempotency key, which belongs to the user and is kept for ever.
    package let idempotencyKey: Label
    /// The label of the whole request. A later request with the same key is refused unless its label is the same.
    package let request: Label
    package let purse: Purse
    package let amount: Int
    /// The draws from lots, which add up to `amount`.
    package let draws: [Draw]
    /// The spendable units after the spend. They are kept so that a repeat gets the first answer, whatever was learned
    /// since.
    package let spendableAfter: Int

    package init(
        idempotencyKey: Label, request: Label, purse: Purse, amount: Int, draws: [Draw], spendableAfter: Int
    ) {
        self.idempotencyKey = idempotencyKey
        self.request = request
        self.purse = purse
        self.amount = amount
        self.draws = draws
        self.spendableAfter = spendableAfter
    }
}

/// The id of a reservation.
package struct ReservationID: Identifier {
    package let text: String
    package init(_ text: String) { self.text = text }
}

/// Units that are drawn until the reservation is committed, released, or `expiresAt` has come.
package struct Reservation: Hashable, Sendable {
    package let id: ReservationID
    /// The label of the caller's idempotency key, which belongs to the user and is kept for ever.
    package let idempotencyKey: Label
    /// The label of the whole request. A later request with the same key is refused unless its label is the same.
    package let request: Label
    package let purse: Purse
    package let amount: Int
    /// The deadline, exclusive.
    package let expiresAt: Instant
    /// The draws from lots, which add up to `amount`.
    package let draws: [Draw]

    package init(
        id: ReservationID, idempotencyKey: Label, request: Label, purse: Purse, amount: Int, expiresAt: Instant,
        draws: [Draw]
    ) {
        self.id = id
        self.idempotencyKey = idempotencyKey
        self.request = request
        self.purse = purse
        self.amount = amount
        self.expiresAt = expiresAt
        self.draws = draws
    }

    /// Returns the draws as a commitment of `amount` divides them: the first `amount` units are spent, the others are
    /// free again.
    package func cut(committing amount: Int) -> (spent: [Draw], released: [Draw]) {
        var rest = max(0, amount)
        var (spent, released): ([Draw], [Draw]) = ([], [])
        for draw in draws {
            let taken = min(rest, draw.amount)
            rest -= taken
            if taken > 0 { spent.append(Draw(lot: draw.lot, amount: taken)) }
            if taken < draw.amount { released.append(Draw(lot: draw.lot, amount: draw.amount - taken)) }
        }
        return (spent, released)
    }
}

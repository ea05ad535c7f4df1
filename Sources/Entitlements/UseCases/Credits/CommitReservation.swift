/// Commits a reservation: spends its units or a part of them, and frees the rest (`semantics.md` §4).
///
/// A user in debt may commit too. A repeat records nothing and succeeds, even after the deadline.
package struct CommitReservation: Sendable {
    package let id: ReservationID
    package let user: UserID
    /// The units to spend; nil for all that are reserved.
    package let amount: CreditAmount?
    package let note: Note?

    package init(_ id: ReservationID, of user: UserID, amount: CreditAmount? = nil, note: Note? = nil) {
        self.id = id
        self.user = user
        self.amount = amount
        self.note = note
    }

    package func decide(
        given history: PurchaseHistory, in catalogue: CatalogueVersions, under settings: EntitlementSettings
    ) -> Decision<SpendReceipt, CommitRefusal> {
        let position = CreditPosition(of: user, given: history, in: catalogue, settings)
        guard let (reservation, fate) = position.reservation(id) else {
            return Decision(answer: .failure(.unknownReservation))
        }
        let units = amount?.units ?? reservation.amount
        let draws = reservation.cut(committing: units).spent
        switch fate {
        case .released: return Decision(answer: .failure(.alreadyReleased))
        case .committed(let committed):
            guard committed == units else { return Decision(answer: .failure(.alreadyCommitted)) }
            return Decision(answer: .success(position.receipt(for: draws, of: reservation.purse)))
        case .ended: return Decision(answer: .failure(.reservationEnded))
        case .held:
            guard units <= reservation.amount else { return Decision(answer: .failure(.exceedsReservation)) }
            let act = CreditAct.committed(id, amount: units)
            return Decision(
                drafts: [user: [LedgerEntry.Draft(.credit(act), at: position.at, note: note)]],
                answer: .success(position.receipt(for: draws, of: reservation.purse, after: act)))
        }
    }
}

/// The reason why a reservation is not committed, in order of precedence. The raw value is the code of the problem.
package enum CommitRefusal: String, Error, Hashable, Sendable, CaseIterable {
    case unknownReservation = "unknown_reservation"
    case alreadyReleased = "already_released"
    /// The reservation was committed with another amount.
    case alreadyCommitted = "already_committed"
    /// The deadline of the reservation has passed.
    case reservationEnded = "reservation_ended"
    /// The amount is larger than the reservation's.
    case exceedsReservation = "exceeds_reservation"
}

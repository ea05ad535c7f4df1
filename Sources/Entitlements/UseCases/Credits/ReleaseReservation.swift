/// Frees the reserved units (`semantics.md` §4).
///
/// A reservation that was released before, or whose deadline has passed, is free already: nothing is recorded and it
/// succeeds.
package struct ReleaseReservation: Sendable {
    package let id: ReservationID
    package let user: UserID
    package let note: Note?

    package init(_ id: ReservationID, of user: UserID, note: Note? = nil) {
        self.id = id
        self.user = user
        self.note = note
    }

    /// The answer says what is spendable now; nothing of the reservation is spent.
    package func decide(
        given history: PurchaseHistory, in catalogue: CatalogueVersions, under settings: EntitlementSettings
    ) -> Decision<SpendReceipt, ReleaseRefusal> {
        let position = CreditPosition(of: user, given: history, in: catalogue, settings)
        guard let (reservation, fate) = position.reservation(id) else {
            return Decision(answer: .failure(.unknownReservation))
        }
        switch fate {
        case .committed: return Decision(answer: .failure(.alreadyCommitted))
        case .released, .ended: return Decision(answer: .success(position.receipt(for: [], of: reservation.purse)))
        case .held:
            let act = CreditAct.released(id)
            return Decision(
                drafts: [user: [LedgerEntry.Draft(.credit(act), at: position.at, note: note)]],
                answer: .success(position.receipt(for: [], of: reservation.purse, after: act)))
        }
    }
}

/// Why a reservation is not released, in order of precedence; the raw value is the problem's code.
package enum ReleaseRefusal: String, Error, Hashable, Sendable, CaseIterable {
    case unknownReservation = "unknown_reservation"
    case alreadyCommitted = "already_committed"
}

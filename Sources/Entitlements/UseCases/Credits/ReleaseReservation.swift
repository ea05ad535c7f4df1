/// Releases a reservation: its units are free again (`semantics.md` §4).
///
/// If the reservation was released before or its deadline has passed, the release succeeds and nothing is recorded.
package struct ReleaseReservation: Sendable {
    package let id: ReservationID
    package let user: UserID
    package let note: Note?

    package init(_ id: ReservationID, of user: UserID, note: Note? = nil) {
        self.id = id
        self.user = user
        self.note = note
    }

    /// Decides on the release. The answer has the balance afterwards, and no spent units.
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

/// The reason why a reservation is not released, in order of precedence. The raw value is the code of the problem.
package enum ReleaseRefusal: String, Error, Hashable, Sendable, CaseIterable {
    case unknownReservation = "unknown_reservation"
    case alreadyCommitted = "already_committed"
}

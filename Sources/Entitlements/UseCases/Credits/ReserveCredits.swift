/// Draws units of one purse until they are committed or released or a deadline passes, once for each idempotency key
/// (`semantics.md` §4).
///
/// A repeat of a key gives the first answer and records nothing; a refusal is not remembered.
package struct ReserveCredits: Sendable {
    package let amount: CreditAmount
    package let purse: Purse
    package let user: UserID
    package let time: ReservationTime
    /// The name of the reservation, if there is to be a new one.
    package let id: ReservationID
    package let idempotencyKey: Label
    /// The digest of the request, which a repeat must repeat.
    package let request: Label
    package let note: Note?
    package let catalogue: CatalogueVersions
    package let settings: EntitlementSettings

    package init(
        _ amount: CreditAmount, from purse: Purse, of user: UserID, for time: ReservationTime, as id: ReservationID,
        idempotencyKey: Label, request: Label, note: Note? = nil, in catalogue: CatalogueVersions,
        settings: EntitlementSettings
    ) {
        self.amount = amount
        self.purse = purse
        self.user = user
        self.time = time
        self.id = id
        self.idempotencyKey = idempotencyKey
        self.request = request
        self.note = note
        self.catalogue = catalogue
        self.settings = settings
    }

    package func decide(given history: PurchaseHistory) -> Decision<Reservation, DrawRefusal> {
        let position = CreditPosition(of: user, given: history, in: catalogue, settings)
        if let first = position.entry(under: idempotencyKey) {
            guard case .reserved(let reservation) = first.act, reservation.request == request else {
                return Decision(answer: .failure(.keyReused))
            }
            return Decision(answer: .success(reservation))
        }
        switch position.draw(amount, from: purse) {
        case .failure(let refusal): return Decision(answer: .failure(refusal))
        case .success(let (draws, _)):
            let reservation = Reservation(
                id: id, idempotencyKey: idempotencyKey, request: request, purse: purse, amount: amount.units,
                expiresAt: position.at + time.milliseconds, draws: draws)
            return Decision(
                drafts: [user: [LedgerEntry.Draft(.credit(.reserved(reservation)), at: position.at, note: note)]],
                answer: .success(reservation))
        }
    }
}

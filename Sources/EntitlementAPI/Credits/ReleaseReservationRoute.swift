import Entitlements
import LedgerStore

/// `POST /api/credits/reservations/{reservation_id}/release`: frees the reserved units.
enum ReleaseReservationRoute {
    /// - Throws: `unknown_reservation`, `already_committed`, `unavailable`.
    static func answer(
        _ principal: Principal, because reason: String?, _ call: some SignedCall
    ) async throws(Problem) -> JSONAnswer {
        let id = call.namedReservation
        let note = principal.note(reason: reason)
        let receipt = try await call.recorded(
            for: principal, audit: principal.audit(.releaseReservation, reason: reason, ["reservation_id": id.text]),
            orElse: { (refusal: ReleaseRefusal) in Problem(refusal) }
        ) { history, context in
            ReleaseReservation(id, of: principal.user, note: note)
                .decide(given: history, in: context.catalogue, under: context.settings)
        }
        return JSONAnswer(bytes: SpendReceiptBody(receipt).bytes)
    }
}

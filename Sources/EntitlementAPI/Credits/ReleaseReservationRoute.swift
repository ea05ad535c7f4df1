import Entitlements
import Hummingbird
import LedgerStore

/// `POST /api/credits/reservations/{reservation_id}/release`: frees what was reserved.
enum ReleaseReservationRoute {
    /// - Throws: `unknown_reservation`, `already_committed`, `unavailable`.
    static func respond(to call: UserCall) async throws(Problem) -> Response {
        try await answer(call.acting, because: nil, call).response
    }

    /// The same for any user.
    ///
    /// - Throws: `unknown_reservation`, `already_committed`, `unavailable`.
    static func answer(
        _ acting: Acting, because reason: String?, _ call: some SignedCall
    ) async throws(Problem) -> JSONAnswer {
        let id = call.namedReservation
        let note = acting.note(reason: reason)
        let receipt = try await call.recorded(
            for: acting, audit: acting.audit(.releaseReservation, reason: reason, ["reservation_id": id.text]),
            orElse: { (refusal: ReleaseRefusal) in Problem(refusal) }
        ) { history, context in
            ReleaseReservation(
                id, of: acting.user, note: note, in: context.catalogue, settings: context.settings
            ).decide(given: history)
        }
        return JSONAnswer(bytes: SpendReceiptBody(receipt).bytes)
    }
}

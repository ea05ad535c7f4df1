import Entitlements
import Hummingbird
import LedgerStore

/// `POST /api/credits/reservations/{reservation_id}/release`: frees what was reserved.
enum ReleaseReservationRoute {
    /// - Throws: `unknown_reservation`, `already_committed`, `unavailable`.
    static func respond(to call: UserCall) async throws(Problem) -> Response {
        try await answer(call.principal, because: nil, call).response
    }

    /// The route for servers, for any user.
    ///
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
            ReleaseReservation(
                id, of: principal.user, note: note, in: context.catalogue, settings: context.settings
            ).decide(given: history)
        }
        return JSONAnswer(bytes: SpendReceiptBody(receipt).bytes)
    }
}

import Entitlements
import Hummingbird
import LedgerStore

/// `POST /api/credits/reservations/{reservation_id}/commit`: spends what was reserved, or a part of it.
enum CommitReservationRoute {
    /// - Throws: The fault of the request, then why nothing is spent.
    static func respond(to call: UserCall) async throws(Problem) -> Response {
        try await answer(call.principal, call.optionalJSON(), call).response
    }

    /// The act for any user.
    ///
    /// - Throws: The fault of the request, then why nothing is spent.
    static func answer(
        _ principal: Principal, _ body: JSONBody, _ call: some SignedCall
    ) async throws(Problem) -> JSONAnswer {
        try body.requireObject()
        let amount = try body.creditAmount("amount")
        let reason = try principal.reason(in: body)
        let id = call.namedReservation
        let note = principal.note(reason: reason)
        let receipt = try await call.recorded(
            for: principal, audit: principal.audit(.commitReservation, reason: reason, ["reservation_id": id.text]),
            orElse: { (refusal: CommitRefusal) in Problem(refusal) }
        ) { history, context in
            CommitReservation(id, of: principal.user, amount: amount, note: note)
                .decide(given: history, in: context.catalogue, under: context.settings)
        }
        return JSONAnswer(bytes: SpendReceiptBody(receipt).bytes)
    }
}

extension SignedCall {
    /// The reservation that the path names; what cannot be read is the name of none.
    var namedReservation: ReservationID { ReservationID(named("reservation_id") ?? "") }
}

import Entitlements
import Hummingbird
import LedgerStore

/// `POST /api/credits/reservations/{reservation_id}/commit`: spends the reserved units, or a part of them.
enum CommitReservationRoute {
    /// - Throws: `invalid_request`, the problem of the refusal, `rate_limited`, `unavailable`.
    static func respond(to call: UserCall) async throws(Problem) -> Response {
        try await answer(call.principal, call.optionalJSON(), call).response
    }

    /// Commits for the user of `principal`, whether the user or a server asks.
    ///
    /// - Throws: `invalid_request`, the problem of the refusal, `rate_limited`, `unavailable`.
    static func answer(
        _ principal: Principal, _ body: JSONBody, _ call: some SignedCall
    ) async throws(Problem) -> JSONAnswer {
        try body.requireObject()
        let amount = try body.creditAmount("amount")
        let reason = try principal.reason(in: body)
        let act = principal.commit(call.namedReservation, amount: amount, reason: reason)
        let receipt = try await call.perform(act, for: principal) { Problem($0) }
        return JSONAnswer(bytes: SpendReceiptBody(receipt).bytes)
    }
}

extension SignedCall {
    /// The id of the reservation in the path. An undecodable id becomes the empty one, which no reservation has.
    var namedReservation: ReservationID { ReservationID(named("reservation_id") ?? "") }
}

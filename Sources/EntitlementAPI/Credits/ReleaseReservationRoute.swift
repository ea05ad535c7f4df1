import Entitlements
import LedgerStore

/// `POST /api/credits/reservations/{reservation_id}/release`: frees the reserved units.
enum ReleaseReservationRoute {
    /// - Throws: `unknown_reservation`, `already_committed`, `unavailable`.
    static func answer(
        _ principal: Principal, because reason: String?, _ call: some SignedCall
    ) async throws(Problem) -> JSONAnswer {
        let act = principal.release(call.namedReservation, reason: reason)
        let receipt = try await call.perform(act, for: principal) { Problem($0) }
        return JSONAnswer(bytes: SpendReceiptBody(receipt).bytes)
    }
}

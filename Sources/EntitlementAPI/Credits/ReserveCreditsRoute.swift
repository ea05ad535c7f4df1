import Entitlements
import HTTPTypes
import LedgerStore

/// `POST /api/credits/{unit}/reservations`: reserves units until a deadline, once for each idempotency key of the user.
enum ReserveCreditsRoute {
    /// - Throws: `not_found`, `invalid_request`, the problem of the refusal, `rate_limited`, `unavailable`.
    static func answer(
        _ principal: Principal, _ body: JSONBody, _ call: some SignedCall
    ) async throws(Problem) -> JSONAnswer {
        let request = try call.creditDraw(in: body, of: principal.user)
        let time = try body.required("ttl_seconds") { name throws(Problem) in
            try body.integer(name, in: ReservationTime.range).flatMap { ReservationTime(seconds: $0) }
        }
        let id = ReservationID(call.api.newID())
        let reason = try principal.reason(in: body)
        let act = principal.reserve(request, for: time, as: id, reason: reason, under: try call.labels())
        let told = try await call.perform(act, for: principal) { Problem($0) }
        var json = JSONWriter(capacity: 128)
        json.beginObject()
        json.member("reservation_id", told.reply.id.text)
        json.member("expires_at", exactly: "expires_at_ms", told.reply.expiresAt)
        json.endObject()
        return JSONAnswer(status: .created, bytes: json.bytes, isRepeat: told.isRepeat)
    }
}

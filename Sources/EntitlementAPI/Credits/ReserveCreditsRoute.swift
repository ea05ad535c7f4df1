import Entitlements
import HTTPTypes
import LedgerStore

/// `POST /api/credits/{unit}/reservations`: reserves units until a deadline, once for each idempotency key of the user.
enum ReserveCreditsRoute {
    /// - Throws: `not_found`, `invalid_request`, the problem of the refusal, `rate_limited`, `unavailable`.
    static func answer(
        _ principal: Principal, _ body: JSONBody, _ call: some SignedCall
    ) async throws(Problem) -> JSONAnswer {
        let request = try CreditRequest(body, of: principal.user, call)
        let time = try body.required("ttl_seconds") { name throws(Problem) in
            try body.integer(name, in: ReservationTime.range).flatMap { ReservationTime(seconds: $0) }
        }
        let id = ReservationID(call.api.newID())
        let reason = try principal.reason(in: body)
        let note = principal.note(reason: reason)
        let asked = request.label(of: "reserve", String(time.seconds), reason, under: try call.labels())
        let told = try await call.recorded(
            for: principal,
            audit: principal.audit(
                .reserveCredits, reason: reason,
                ["reservation_id": id.text, "unit": request.purse.unit, "amount": String(request.amount.units)]),
            orElse: { (refusal: DrawRefusal) in Problem(refusal) }
        ) { history, context in
            DrawCredits(
                request.amount, from: request.purse, of: principal.user, idempotencyKey: request.key, request: asked,
                note: note
            ).reserve(for: time, as: id, given: history, in: context.catalogue, under: context.settings).tellingRepeats
        }
        var json = JSONWriter(capacity: 128)
        json.beginObject()
        json.member("reservation_id", told.reply.id.text)
        json.member("expires_at", exactly: "expires_at_ms", told.reply.expiresAt)
        json.endObject()
        return JSONAnswer(status: .created, bytes: json.bytes, isRepeat: told.isRepeat)
    }
}

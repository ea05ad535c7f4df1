import Entitlements
import Hummingbird
import LedgerStore

/// `POST /api/admin/users/{user_id}/grants/{grant_id}/revoke`: an operator takes a grant back from now on.
enum WithdrawGrantRoute {
    /// - Throws: `invalid_request`, `unknown_grant`, `unavailable`.
    static func answer(
        _ principal: Principal, _ body: JSONBody, _ call: ServerCall
    ) async throws(Problem) -> JSONAnswer {
        try body.requireObject()
        let reason = try body.requiredReason()
        let note = Note(actor: principal.actor?.text, reason: reason)
        let id = ExternalID(call.named("grant_id") ?? "")
        let revokedAt = try await call.recorded(
            for: principal, keys: [Grant.key(id)],
            audit: principal.audit(.withdrawGrant, reason: reason, ["grant_id": id.text]),
            orElse: { (refusal: WithdrawGrantRefusal) in Problem(refusal) }
        ) { history, context in
            WithdrawGrant(id, of: principal.user, note: note, in: context).decide(given: history)
        }
        var json = JSONWriter(capacity: 128)
        json.beginObject()
        json.member("id", id.text)
        json.member("revoked_at", exactly: "revoked_at_ms", revokedAt)
        json.endObject()
        return JSONAnswer(bytes: json.bytes)
    }
}

import Entitlements
import Hummingbird
import LedgerStore

/// `POST /api/admin/users/{user_id}/grants/{grant_id}/revoke`: an operator takes a grant back from now on.
enum RevokeGrantRoute {
    /// - Throws: `invalid_request`, `unknown_grant`, `unavailable`.
    static func answer(
        _ acting: Acting, _ body: JSONBody, _ call: ServerCall
    ) async throws(Problem) -> JSONAnswer {
        try body.requireObject()
        let reason = try body.requiredReason()
        let note = Note(actor: acting.actor?.text, reason: reason)
        let id = ExternalID(call.named("grant_id") ?? "")
        let revokedAt = try await call.recorded(
            for: acting, keys: [Grant.key(id)],
            audit: acting.audit(.revokeGrant, reason: reason, ["grant_id": id.text]),
            orElse: { (refusal: RevokeGrantRefusal) in Problem(refusal) }
        ) { history, context in
            RevokeGrant(id, of: acting.user, note: note, in: context).decide(given: history)
        }
        var json = JSONWriter(capacity: 128)
        json.beginObject()
        json.member("id", id.text)
        json.member("revoked_at", exactly: "revoked_at_ms", revokedAt)
        json.endObject()
        return JSONAnswer(bytes: json.bytes)
    }
}

import Entitlements
import Hummingbird
import LedgerStore

/// `POST /api/admin/users/{user_id}/revoke`: an operator takes a purchase back, whole and for good, from now on.
enum RevokePurchaseRoute {
    /// - Throws: What is wrong with the request, then why nothing is revoked.
    static func answer(
        _ acting: Acting, _ body: JSONBody, _ call: ServerCall
    ) async throws(Problem) -> JSONAnswer {
        let act = try PurchaseAct(body)
        let note = act.note(by: acting)
        let key = try await call.purchase(act.name, of: acting)
        let revokedAt = try await call.recorded(
            for: acting, keys: [key], audit: acting.audit(.revokePurchase, reason: act.reason, key.auditDetails),
            orElse: { (refusal: RevokeRefusal) in Problem(refusal) }
        ) { history, context in
            RevokePurchase(key, of: acting.user, note: note, in: context).decide(given: history)
        }
        var json = JSONWriter(capacity: 256)
        json.beginObject()
        json.members(of: key)
        json.member("revoked_at", exactly: "revoked_at_ms", revokedAt)
        json.endObject()
        return JSONAnswer(bytes: json.bytes)
    }
}

extension PurchaseKey {
    /// As the audit trail names a purchase of the subject.
    var auditDetails: [String: String] {
        var details = [
            "source": source.text, "environment": environment.rawValue, "external_id": externalID.text,
        ]
        details["app"] = appText
        return details
    }
}

import Entitlements
import Hummingbird
import LedgerStore

/// `POST /api/admin/users/{user_id}/revoke`: an operator takes a purchase back, whole and for good, from now on.
enum WithdrawPurchaseRoute {
    /// - Throws: The fault of the request, then why nothing is withdrawn.
    static func answer(
        _ principal: Principal, _ body: JSONBody, _ call: ServerCall
    ) async throws(Problem) -> JSONAnswer {
        let act = try PurchaseAct(body)
        let note = act.note(by: principal)
        let key = try await call.purchase(act.name, of: principal)
        let revokedAt = try await call.recorded(
            for: principal, keys: [key],
            audit: principal.audit(.withdrawPurchase, reason: act.reason, key.auditDetails),
            orElse: { (refusal: WithdrawPurchaseRefusal) in Problem(refusal) }
        ) { history, context in
            WithdrawPurchase(key, of: principal.user, note: note, in: context).decide(given: history)
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

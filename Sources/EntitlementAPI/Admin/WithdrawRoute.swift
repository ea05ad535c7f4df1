import Entitlements
import Hummingbird
import LedgerStore

/// The routes by which an operator withdraws a purchase or a grant: whole, from now on and for good.
enum WithdrawRoute {
    /// `POST /api/admin/users/{user_id}/revoke`: withdraws a purchase.
    ///
    /// - Throws: `invalid_request`, the problem of the refusal to withdraw, or `unavailable`.
    static func purchase(
        _ principal: Principal, _ body: JSONBody, _ call: ServerCall
    ) async throws(Problem) -> JSONAnswer {
        let (name, reason) = (try body.requiredPurchase(), try body.requiredReason())
        let key = try await call.purchase(name, of: principal)
        return try await withdraw(key, .withdrawPurchase, of: principal.user, reason, key.auditDetails, call) {
            $0.members(of: key)
        }
    }

    /// `POST /api/admin/users/{user_id}/grants/{grant_id}/revoke`: withdraws a grant.
    ///
    /// - Throws: `invalid_request`, `unknown_grant`, `unavailable`.
    static func grant(
        _ principal: Principal, _ body: JSONBody, _ call: ServerCall
    ) async throws(Problem) -> JSONAnswer {
        let id = call.named("grant_id") ?? ""
        return try await withdraw(
            Grant.key(ExternalID(id)), .withdrawGrant, of: principal.user, try body.requiredReason(), ["grant_id": id],
            call
        ) { $0.member("id", id) }
    }

    private static func withdraw(
        _ key: PurchaseKey, _ action: AuditAction, of user: UserID, _ reason: String, _ details: [String: String],
        _ call: ServerCall, name: (inout JSONWriter) -> Void
    ) async throws(Problem) -> JSONAnswer {
        let revokedAt = try await call.act(action, on: user, keys: [key], reason: reason, details) {
            act, history, context in act.withdraw(key, given: history, in: context)
        }.orProblem()
        return JSONAnswer(
            bytes: JSONWriter.object { json in
                name(&json)
                json.member("revoked_at", exactly: "revoked_at_ms", revokedAt)
            })
    }
}

extension PurchaseKey {
    /// The names of a purchase in the details of an entry of the audit trail.
    var auditDetails: [String: String] {
        var details = [
            "source": source.text, "environment": environment.rawValue, "external_id": externalID.text,
        ]
        details["app"] = appText
        return details
    }
}

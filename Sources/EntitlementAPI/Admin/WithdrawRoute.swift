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
        let act = principal.withdrawPurchase(key, reason: reason)
        return JSONAnswer(bytes: ActReply.revoked(key, try await call.perform(act).answer.orProblem()))
    }

    /// `POST /api/admin/users/{user_id}/grants/{grant_id}/revoke`: withdraws a grant.
    ///
    /// - Throws: `invalid_request`, `unknown_grant`, `unavailable`.
    static func grant(
        _ principal: Principal, _ body: JSONBody, _ call: ServerCall
    ) async throws(Problem) -> JSONAnswer {
        let id = ExternalID(call.named("grant_id") ?? "")
        let act = principal.withdrawGrant(id, reason: try body.requiredReason())
        return JSONAnswer(bytes: ActReply.revoked(grant: id, at: try await call.perform(act).answer.orProblem()))
    }
}

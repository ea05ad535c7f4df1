import Entitlements
import Hummingbird
import LedgerStore

/// `POST /api/admin/users/{user_id}/bind`: an operator gives a user a purchase that nobody has.
enum BindPurchaseRoute {
    /// - Throws: `invalid_request`, the problem of the refusal to bind the purchase, or `unavailable`.
    static func answer(
        _ principal: Principal, _ body: JSONBody, _ call: ServerCall
    ) async throws(Problem) -> JSONAnswer {
        let (name, reason) = (try body.requiredPurchase(), try body.requiredReason())
        let key = try await call.served { try await $0.purchase(name) }.orProblem()
        let bound = try await call.perform(principal.bind(key, reason: reason)).answer.orProblem()
        return JSONAnswer(bytes: ActReply.bound(bound, to: principal.user))
    }
}

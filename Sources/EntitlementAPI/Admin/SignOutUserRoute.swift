import Entitlements
import Hummingbird
import LedgerStore

/// `POST /api/admin/users/{user_id}/sign-out`: ends what was issued to the user's Apple accounts, and what their texts
/// were good for (`semantics.md` §5, *The Apple account as sign-in*).
enum SignOutUserRoute {
    /// - Throws: `invalid_request`, `unavailable`.
    static func answer(
        _ principal: Principal, _ body: JSONBody, _ call: ServerCall
    ) async throws(Problem) -> JSONAnswer {
        let act = principal.signOut(reason: try body.requiredReason(), under: try call.labels())
        let signedOut = try await call.perform(act).answer.orProblem()
        return JSONAnswer(bytes: ActReply.signedOut(principal.user, signedOut))
    }
}

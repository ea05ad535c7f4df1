import Entitlements
import Hummingbird
import LedgerStore

/// `PUT` and `DELETE /api/admin/users/{user_id}/sandbox-tester`: puts the user on the list of sandbox testers, or takes
/// them off (`semantics.md` §9).
enum SandboxTesterRoute {
    /// The route of `PUT` if `isTester`, else of `DELETE`. It throws `invalid_request` and `unavailable`.
    static func to(
        _ isTester: Bool
    ) -> @Sendable (Principal, String?, ServerCall) async throws(Problem) -> JSONAnswer {
        { principal, reason, call throws(Problem) in
            let act = principal.nameSandboxTester(isTester, reason: reason)
            let holds = try await call.perform(act).answer.orProblem()
            return JSONAnswer(bytes: ActReply.sandboxTester(holds))
        }
    }
}

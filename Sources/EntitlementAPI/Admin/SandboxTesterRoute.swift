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
            let action: AuditAction = isTester ? .nameSandboxTester : .unnameSandboxTester
            let holds = try await call.act(action, on: principal.user, reason: reason) { act, history, _ in
                act.nameSandboxTester(isTester, given: history)
            }.orProblem()
            return JSONAnswer(bytes: JSONWriter.object { $0.member("sandbox_tester", holds) })
        }
    }
}

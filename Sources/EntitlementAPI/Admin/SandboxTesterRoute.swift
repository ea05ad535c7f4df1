import Entitlements
import Hummingbird
import LedgerStore

/// `PUT` and `DELETE /api/admin/users/{user_id}/sandbox-tester`: whether sandbox purchases count for the user.
enum SandboxTesterRoute {
    /// The act that puts the user on the list, or takes them off. It throws `invalid_request` and `unavailable`.
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

import Entitlements
import Hummingbird
import LedgerStore

/// `PUT` and `DELETE /api/admin/users/{user_id}/sandbox-tester`: whether sandbox purchases count for the user.
enum SandboxTesterRoute {
    /// Puts the user on the list.
    ///
    /// - Throws: `invalid_request`, `unavailable`.
    static func name(
        _ acting: Acting, _ body: JSONBody, _ call: ServerCall
    ) async throws(Problem) -> JSONAnswer {
        try await answer(true, acting, body, call)
    }

    /// Takes the user off the list.
    ///
    /// - Throws: `invalid_request`, `unavailable`.
    static func unname(
        _ acting: Acting, _ body: JSONBody, _ call: ServerCall
    ) async throws(Problem) -> JSONAnswer {
        try await answer(false, acting, body, call)
    }

    private static func answer(
        _ isTester: Bool, _ acting: Acting, _ body: JSONBody, _ call: ServerCall
    ) async throws(Problem) -> JSONAnswer {
        try body.requireObject()
        let reason = try Reason(optionalIn: body.value).text
        let note = Note(actor: acting.actor?.text, reason: reason)
        let action: AuditAction = isTester ? .nameSandboxTester : .unnameSandboxTester
        let holds = try await call.recorded(for: acting, audit: acting.audit(action, reason: reason)) { history, _ in
            NameSandboxTester(acting.user, isTester: isTester, note: note).decide(given: history)
        }
        var json = JSONWriter(capacity: 32)
        json.beginObject()
        json.member("sandbox_tester", holds)
        json.endObject()
        return JSONAnswer(bytes: json.bytes)
    }
}

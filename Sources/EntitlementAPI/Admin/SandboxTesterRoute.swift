import Entitlements
import Hummingbird
import LedgerStore

/// `PUT` and `DELETE /api/admin/users/{user_id}/sandbox-tester`: whether sandbox purchases count for the user.
enum SandboxTesterRoute {
    /// Puts the user on the list.
    ///
    /// - Throws: `invalid_request`, `unavailable`.
    static func name(
        _ principal: Principal, _ body: JSONBody, _ call: ServerCall
    ) async throws(Problem) -> JSONAnswer {
        try await answer(true, principal, body, call)
    }

    /// Takes the user off the list.
    ///
    /// - Throws: `invalid_request`, `unavailable`.
    static func unname(
        _ principal: Principal, _ body: JSONBody, _ call: ServerCall
    ) async throws(Problem) -> JSONAnswer {
        try await answer(false, principal, body, call)
    }

    private static func answer(
        _ isTester: Bool, _ principal: Principal, _ body: JSONBody, _ call: ServerCall
    ) async throws(Problem) -> JSONAnswer {
        try body.requireObject()
        let reason = try Reason(optionalIn: body.value).text
        let note = Note(actor: principal.actor?.text, reason: reason)
        let action: AuditAction = isTester ? .nameSandboxTester : .unnameSandboxTester
        let holds = try await call.recorded(for: principal, audit: principal.audit(action, reason: reason)) {
            history, _ in
            NameSandboxTester(principal.user, isTester: isTester, note: note).decide(given: history)
        }
        var json = JSONWriter(capacity: 32)
        json.beginObject()
        json.member("sandbox_tester", holds)
        json.endObject()
        return JSONAnswer(bytes: json.bytes)
    }
}

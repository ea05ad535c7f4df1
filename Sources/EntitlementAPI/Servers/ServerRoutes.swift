import AppStore
import Entitlements
import Hummingbird
import LedgerStore

/// Routes for servers, made of what works for any user.
extension Routes {
    /// A route for servers that answers about the user whom the path names.
    static func about(
        _ answer: @escaping @Sendable (Acting, ServerCall) async throws(Problem) -> Response
    ) -> @Sendable (ServerCall) async throws(Problem) -> Response {
        { call throws(Problem) in try await answer(try call.acting(), call) }
    }

    /// A write for servers whose idempotency keys the user's ledger keeps.
    static func kept(
        _ answer: @escaping @Sendable (Acting, JSONBody, ServerCall) async throws(Problem) -> JSONAnswer
    ) -> @Sendable (ServerCall) async throws(Problem) -> Response {
        { call throws(Problem) in try await answer(try call.acting(), try await call.json(), call).response }
    }

    /// A write for servers that is carried out once for each of the server's idempotency keys; `other` is the
    /// member of its body that names somebody else whom it is about.
    static func once(
        with other: String? = nil,
        _ answer: @escaping @Sendable (Acting, JSONBody, ServerCall) async throws(Problem) -> JSONAnswer
    ) -> @Sendable (ServerCall) async throws(Problem) -> Response {
        { call throws(Problem) in
            let acting = try call.acting()
            let body = try await call.optionalJSON()
            let another = other.flatMap { body.value[$0]?.string }.flatMap { UserID($0) }
            let subject = IdempotencySubject(acting.user, and: another, under: try call.labels())
            return try await call.once(body, about: subject) { _ async throws(Problem) in
                try await answer(acting, body, call)
            }
        }
    }

    /// The same for a write of whose body only a reason is read, which need not be there.
    static func once(
        _ answer: @escaping @Sendable (Acting, String?, ServerCall) async throws(Problem) -> JSONAnswer
    ) -> @Sendable (ServerCall) async throws(Problem) -> Response {
        once { acting, body, call throws(Problem) in
            try body.requireObject()
            return try await answer(acting, try acting.reason(in: body), call)
        }
    }
}

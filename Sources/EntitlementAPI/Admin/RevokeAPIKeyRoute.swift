import Entitlements
import Hummingbird
import LedgerStore

/// `POST /api/admin/api-keys/{key_id}/revoke`: the key never counts again.
enum RevokeAPIKeyRoute {
    /// - Throws: `not_found` for a number that no key has, `invalid_request`, what `idempotently` throws,
    ///   `unavailable`.
    static func respond(to call: ServerCall) async throws(Problem) -> Response {
        let body = try await call.optionalJSON()
        try body.requireObject()
        let reason = try Reason(optionalIn: body.value)
        let id = call.context.parameters.get("key_id").flatMap { UInt64($0) }
        return try await call.idempotently(body, about: .nobody) { _ async throws(Problem) in
            let key = try await call.served { store in
                guard let id else { return nil as APIKey? }
                return try await store.apiKeys.revoke(id, by: call.actor, reason: reason.text)
            }
            guard let key else { throw .notFound }
            return JSONAnswer(status: .ok, bytes: APIKeyBody(key).bytes)
        }
    }
}

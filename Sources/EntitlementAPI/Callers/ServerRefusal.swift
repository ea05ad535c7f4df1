import Entitlements
import Hummingbird
import LedgerStore

/// The reason why a request is not a server's, or why the server may not do this.
enum ServerRefusal: Error, Hashable {
    case missing
    /// No key has this secret, or it was revoked.
    case invalid
    /// A text of another form than a key's, such as a user's token; users ask the same at `route`, if at any.
    case noKey(route: String?)
    case insufficientScope(APIKeyScope)
}

extension ServerCall {
    /// Recognises the server that sent a request.
    ///
    /// A user's token is refused without a look at it, and keys that never were like keys that were revoked.
    ///
    /// - Throws: `unauthenticated`, `forbidden` for a key without the scope, `unavailable`; `invalid_request` for a
    ///   parameter that the endpoint does not have.
    init(_ call: OpenCall, scope: APIKeyScope) async throws(Problem) {
        guard let text = call.request.headers[.authorization].flatMap(BearerVerifier.token) else {
            throw Problem(ServerRefusal.missing)
        }
        guard Self.isMeant(by: call.request) else { throw Problem(ServerRefusal.noKey(route: call.twin)) }
        guard let secret = APIKeySecret(text) else { throw Problem(ServerRefusal.invalid) }
        guard let key = try await call.served({ try await $0.apiKeys.key(for: secret) }) else {
            throw Problem(ServerRefusal.invalid)
        }
        guard key.allows(scope) else { throw Problem(ServerRefusal.insufficientScope(scope)) }
        try call.requireKnownParameters()
        self.init(key: key, secret: secret, incoming: call)
    }

    /// True if a request shows a server's key and no user's token.
    static func isMeant(by request: Request) -> Bool {
        request.headers[.authorization].flatMap(BearerVerifier.token)?.hasPrefix(APIKeySecret.prefix) ?? false
    }
}

import Entitlements
import Hummingbird
import LedgerStore

/// The reason why a server's request is refused: its API key is missing, not valid or lacks the scope.
enum ServerRefusal: Error, Hashable {
    case missing
    /// No key has this secret, or it was revoked.
    case invalid
    /// The bearer token does not have the form of an API key; it may be a user's token. Users send the same request to
    /// `route`, which is nil if there is no such route.
    case noKey(route: String?)
    case insufficientScope(APIKeyScope)
}

extension ServerCall {
    /// Authenticates the server that sent a request by its API key.
    ///
    /// A user's token is refused without a query of the database. Unknown keys and revoked keys get the same answer.
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

    /// True if the bearer token of a request has the form of an API key.
    static func isMeant(by request: Request) -> Bool {
        request.headers[.authorization].flatMap(BearerVerifier.token)?.hasPrefix(APIKeySecret.prefix) ?? false
    }
}

import Entitlements
import Hummingbird
import LedgerStore

/// A request of somebody who showed who they are, as a route sees it.
protocol SignedCall: Sendable {
    var request: Request { get }
    var context: APIContext { get }
    var api: API.Dependencies { get }
    /// When it came; the same for everything that the request asks.
    var now: Instant { get }
    var bodyLimit: Int { get }
}

/// A request of a server, as a route sees it.
struct ServerCall: SignedCall {
    let key: APIKey
    /// What the key was recognised by; it seals what is remembered for this server.
    let secret: APIKeySecret
    let now: Instant
    let request: Request
    let context: APIContext
    let api: API.Dependencies
    let bodyLimit: Int

    /// As the audit trail names the server.
    var actor: Actor { Actor(key) }

    /// The server for the user that the path names.
    ///
    /// - Throws: `not_found` for what is no user id.
    func acting() throws(Problem) -> Acting {
        Acting(user: try namedUser(), actor: actor)
    }
}

/// A request of a user or of a server, for the routes that answer both.
enum Caller {
    case user(UserCall)
    case server(ServerCall)
}

extension SignedCall {
    /// The request's JSON body.
    ///
    /// - Throws: `payload_too_large` (a length that was not declared), `unsupported_media_type`, `invalid_request`.
    func json() async throws(Problem) -> JSONBody {
        try await JSONBody(request, limit: bodyLimit)
    }

    /// The same where a request may come without a body.
    ///
    /// - Throws: `payload_too_large`, `unsupported_media_type`, `invalid_request`.
    func optionalJSON() async throws(Problem) -> JSONBody {
        try await JSONBody(optionalOf: request, limit: bodyLimit)
    }

    /// Calls a service, whose failures are problems.
    ///
    /// - Throws: `unavailable`.
    func served<Value>(
        _ body: () async throws(ServiceFailure) -> Value
    ) async throws(Problem) -> Value {
        do throws(ServiceFailure) {
            return try await body()
        } catch {
            throw Problem(error)
        }
    }

    /// Everything recorded of `user`.
    ///
    /// - Throws: `unavailable`.
    func ledger(of user: UserID) async throws(Problem) -> UserLedger {
        try await served { () async throws(ServiceFailure) in try await api.service.ledger(of: user) }
    }

    /// A parameter of the path, its escapes decoded; nil when they cannot be.
    func named(_ parameter: String) -> String? {
        context.parameters.get(parameter).flatMap { Query.decoded($0.utf8[...]) }
    }

    /// The user that the path names.
    ///
    /// - Throws: `not_found` for what is no user id.
    func namedUser() throws(Problem) -> UserID {
        guard let user = named("user_id").flatMap({ UserID($0) }) else { throw .notFound }
        return user
    }
}

import Entitlements
import HTTPTypes
import Hummingbird

/// One line of the URL table: what is asked of a request before its route sees it, in the contract's order, and the
/// route.
///
/// Size, and that there is such a route and method, are judged before (``Envelope``); then come sign-in and rate here.
/// Media type and JSON follow when the route reads the body, and its own checks last.
struct Endpoint: Sendable {
    /// A body over this is refused, unread where its length is declared.
    static let bodyLimit = 64 * 1024

    let method: HTTPRequest.Method
    /// As Hummingbird has it, `{name}` for a parameter.
    let path: String
    let bodyLimit: Int
    let deadlineSeconds: Int64
    private let answer: @Sendable (Request, APIContext, API.Dependencies) async throws(Problem) -> Response

    /// An endpoint for anyone.
    static func open(
        _ method: HTTPRequest.Method, _ path: String,
        _ route: @escaping @Sendable (OpenCall) async throws(Problem) -> Response
    ) -> Endpoint {
        Endpoint(method: method, path: path, bodyLimit: bodyLimit, deadlineSeconds: RouteTable.deadlineSeconds) {
            request, context, api throws(Problem) in
            try await route(OpenCall(request: request, context: context, api: api))
        }
    }

    /// An endpoint for signed-in users.
    static func signedIn(
        _ method: HTTPRequest.Method, _ path: String, rate: RateLimits.Kind, bodyLimit: Int = bodyLimit,
        deadlineSeconds: Int64 = RouteTable.deadlineSeconds,
        _ route: @escaping @Sendable (UserCall) async throws(Problem) -> Response
    ) -> Endpoint {
        Endpoint(method: method, path: path, bodyLimit: bodyLimit, deadlineSeconds: deadlineSeconds) {
            request, context, api throws(Problem) in
            let now = api.now()
            let user: UserID
            do throws(BearerRefusal) {
                user = try await api.bearers.user(authorization: request.headers[.authorization], at: now)
            } catch {
                throw Problem(error)
            }
            if let exceeded = api.rateLimiter.take(rate, for: user, at: now) { throw Problem(exceeded) }
            return try await route(
                UserCall(user: user, now: now, request: request, context: context, api: api, bodyLimit: bodyLimit))
        }
    }

    /// - Throws: ``Problem``.
    func respond(to request: Request, _ context: APIContext, _ api: API.Dependencies) async throws(Problem) -> Response
    {
        try await answer(request, context, api)
    }
}

/// A request of anyone, as a route sees it.
struct OpenCall {
    let request: Request
    let context: APIContext
    let api: API.Dependencies
}

/// A request of a signed-in user, as a route sees it.
struct UserCall {
    let user: UserID
    /// When it came; the same for everything that the request asks.
    let now: Instant
    let request: Request
    let context: APIContext
    let api: API.Dependencies
    fileprivate let bodyLimit: Int

    fileprivate init(
        user: UserID, now: Instant, request: Request, context: APIContext, api: API.Dependencies, bodyLimit: Int
    ) {
        self.user = user
        self.now = now
        self.request = request
        self.context = context
        self.api = api
        self.bodyLimit = bodyLimit
    }

    /// The request's JSON body.
    ///
    /// - Throws: `payload_too_large` (a length that was not declared), `unsupported_media_type`, `invalid_request`.
    func json() async throws(Problem) -> JSONBody {
        try await JSONBody(request, limit: bodyLimit)
    }

    /// Calls the service, whose failures are problems.
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
}

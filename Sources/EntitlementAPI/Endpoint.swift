import Entitlements
import HTTPTypes
import Hummingbird
import LedgerStore

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

    /// An endpoint for anyone; each network has its rate for it.
    static func open(
        _ method: HTTPRequest.Method, _ path: String,
        _ route: @escaping @Sendable (OpenCall) async throws(Problem) -> Response
    ) -> Endpoint {
        Endpoint(method: method, path: path, bodyLimit: bodyLimit, deadlineSeconds: RouteTable.deadlineSeconds) {
            request, context, api throws(Problem) in
            try await route(OpenCall(request, context, api, path: path))
        }
    }

    /// An endpoint for signed-in users; where `isForSpending`, for those that the settings let spend.
    static func signedIn(
        _ method: HTTPRequest.Method, _ path: String, rate: RateLimits.Kind, isForSpending: Bool = false,
        bodyLimit: Int = bodyLimit, deadlineSeconds: Int64 = RouteTable.deadlineSeconds,
        _ route: @escaping @Sendable (UserCall) async throws(Problem) -> Response
    ) -> Endpoint {
        Endpoint(method: method, path: path, bodyLimit: bodyLimit, deadlineSeconds: deadlineSeconds) {
            request, context, api throws(Problem) in
            let call = try await UserCall(
                request, context, api, rate: rate, isForSpending: isForSpending, bodyLimit: bodyLimit)
            return try await route(call)
        }
    }

    /// An endpoint for signed-in users, each about themselves, and for servers with the scope, about anybody.
    static func signedIn(
        _ method: HTTPRequest.Method, _ path: String, rate: RateLimits.Kind, orServer scope: APIKeyScope,
        bodyLimit: Int = bodyLimit, _ route: @escaping @Sendable (Caller) async throws(Problem) -> Response
    ) -> Endpoint {
        Endpoint(method: method, path: path, bodyLimit: bodyLimit, deadlineSeconds: RouteTable.deadlineSeconds) {
            request, context, api throws(Problem) in
            guard ServerCall.isMeant(by: request) else {
                let call = try await UserCall(
                    request, context, api, rate: rate, isForSpending: false, bodyLimit: bodyLimit)
                return try await route(.user(call))
            }
            let call = try await ServerCall(request, context, api, scope: scope, bodyLimit: bodyLimit)
            return try await route(.server(call))
        }
    }

    /// An endpoint for servers whose key has the scope; never for a user.
    static func server(
        _ method: HTTPRequest.Method, _ path: String, _ scope: APIKeyScope, bodyLimit: Int = bodyLimit,
        deadlineSeconds: Int64 = RouteTable.deadlineSeconds,
        _ route: @escaping @Sendable (ServerCall) async throws(Problem) -> Response
    ) -> Endpoint {
        Endpoint(method: method, path: path, bodyLimit: bodyLimit, deadlineSeconds: deadlineSeconds) {
            request, context, api throws(Problem) in
            try await route(try await ServerCall(request, context, api, scope: scope, bodyLimit: bodyLimit))
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

    /// Counts the request.
    ///
    /// - Throws: `rate_limited`.
    fileprivate init(
        _ request: Request, _ context: APIContext, _ api: API.Dependencies, path: String
    ) throws(Problem) {
        let network = api.network(context.peer, request.headers[.forwardedFor])
        if let exceeded = api.rateLimiter.take(.open, for: .network(network, path: path), at: api.now()) {
            throw Problem(exceeded)
        }
        self.request = request
        self.context = context
        self.api = api
    }
}

/// A request of a signed-in user, as a route sees it.
struct UserCall: SignedCall {
    let user: UserID
    /// When it came; the same for everything that the request asks.
    let now: Instant
    let request: Request
    let context: APIContext
    let api: API.Dependencies
    let bodyLimit: Int

    /// Signs the user in and counts the request.
    ///
    /// - Throws: `unauthenticated`, `forbidden`, `rate_limited`, `unavailable`.
    fileprivate init(
        _ request: Request, _ context: APIContext, _ api: API.Dependencies, rate: RateLimits.Kind,
        isForSpending: Bool, bodyLimit: Int
    ) async throws(Problem) {
        now = api.now()
        do throws(BearerRefusal) {
            user = try await api.bearers.user(authorization: request.headers[.authorization], at: now)
            guard api.usersMaySpend || !isForSpending else {
                throw .notAllowed("Credits are spent by the app's servers, and not with a user's token.")
            }
        } catch {
            throw Problem(error)
        }
        if let exceeded = api.rateLimiter.take(rate, for: .user(user), at: now) { throw Problem(exceeded) }
        self.request = request
        self.context = context
        self.api = api
        self.bodyLimit = bodyLimit
    }

    /// The user about themselves.
    var acting: Acting { Acting(user: user, actor: nil) }
}

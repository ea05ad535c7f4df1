package import Entitlements
package import HTTPTypes
package import Hummingbird
package import LedgerStore

/// A line of the URL table: method, path, limits, who may ask, and the function that answers.
///
/// A request is checked in this order. ``Envelope`` and the router check its size, path and method. The endpoint then
/// checks sign-in, rate limit and the names in the query. The route checks media type, JSON and its own rules last.
///
/// Any module may declare endpoints, and ``API`` adds them to its own.
package struct Endpoint: Sendable {
    /// The largest request body in bytes, unless the endpoint sets another limit.
    package static let bodyLimit = 64 * 1024
    /// The seconds from the end of a request's header to the end of its answer, unless the endpoint sets another limit.
    package static let deadlineSeconds: Int64 = 30

    /// The parameter by which a server asks what its write would do.
    static let dryRun = "dry_run"

    /// The size in bytes from which a list is worth compressing.
    static let gzipFrom = 1024

    package let method: HTTPRequest.Method
    /// The path in Hummingbird's syntax, with `{name}` for a parameter.
    package let path: String
    /// The largest request body in bytes. A larger body is refused, without reading it if its length is declared.
    private(set) var bodyLimit = Endpoint.bodyLimit
    private(set) var deadlineSeconds = Endpoint.deadlineSeconds
    private(set) var isInDevelopmentOnly = false
    /// The parameters that the query may have; nil if it may have any, because stores, probes and scrapers add their
    /// own.
    private(set) var parameters: [String]?
    /// The pages of other origins that may read the answers (CORS): none, except at endpoints of users and public
    /// documents.
    private(set) var readers = CrossOrigin.Readers.none
    /// True if apps send transactions here. Problems then say that the app must not finish these transactions.
    private(set) var takesTransactions = false
    /// The size in bytes from which an answer is sent in gzip to a client that accepts it; nil if no answer ever is.
    private var leastGzip: Int?
    /// True if the work on a request ends once nobody waits for its answer.
    private var endsWithCaller = false
    private let answer: @Sendable (OpenCall) async throws(Problem) -> Response

    private init(
        _ method: HTTPRequest.Method, _ path: String,
        _ answer: @escaping @Sendable (OpenCall) async throws(Problem) -> Response
    ) {
        self.method = method
        self.path = path
        self.answer = answer
        parameters = path.hasPrefix("/api/") || path.hasPrefix("/dev/") ? [] : nil
    }

    /// The method and the path, by which one line of the table is told from another. `HEAD` is answered as `GET`.
    var name: String { Self.name(method, path) }

    static func name(_ method: HTTPRequest.Method, _ path: String) -> String {
        (method == .head ? .get : method).rawValue + " " + path
    }

    // MARK: Who may ask

    /// An endpoint without sign-in. Its rate limit holds for each network and path.
    package static func open(
        _ method: HTTPRequest.Method, _ path: String, rate: RateLimits.Kind = .open,
        _ route: @escaping @Sendable (OpenCall) async throws(Problem) -> Response
    ) -> Endpoint {
        Endpoint(method, path) { call throws(Problem) in
            try call.count(rate, for: .network(call.network, path: path), at: call.api.realNow())
            try call.requireKnownParameters()
            return try await route(call)
        }
    }

    /// An endpoint for people, who get a page even where a request is refused. Its rate limit holds for each network
    /// and path.
    ///
    /// - Parameter page: Makes the page that says what is wrong.
    package static func page(
        _ method: HTTPRequest.Method, _ path: String, rate: RateLimits.Kind = .open,
        _ route: @escaping @Sendable (OpenCall) async throws(Problem) -> Response,
        orElse page: @escaping @Sendable (Problem, OpenCall) -> Response
    ) -> Endpoint {
        Endpoint(method, path) { call throws(Problem) in
            do throws(Problem) {
                let network = rate == .password ? call.signInNetwork : call.network
                try call.count(rate, for: .network(network, path: path), at: call.api.realNow())
                return try await route(call)
            } catch {
                guard !error.closesConnection else { throw error }
                return page(error, call)
            }
        }
    }

    /// An endpoint for a store's webhook, whose signature the route verifies. A store sends any number of deliveries
    /// from few addresses, so only refused deliveries of a network count towards its rate limit.
    package static func webhook(
        _ method: HTTPRequest.Method, _ path: String,
        _ route: @escaping @Sendable (OpenCall) async throws(Problem) -> Response
    ) -> Endpoint {
        var endpoint = Endpoint(method, path) { call throws(Problem) in
            let (refused, network, now) = (call.api.refusedDeliveries, call.network, call.api.realNow())
            try refused.admit(from: network, to: path, at: now)
            do throws(Problem) {
                let answer = try await route(call)
                refused.noteGenuine(from: network, at: now)
                return answer
            } catch {
                var problem = error
                if let quota = refused.note(error, from: network, to: path, at: now) {
                    problem.fields.tell(quota)
                }
                throw problem
            }
        }
        endpoint.parameters = nil
        return endpoint
    }

    /// An endpoint for signed-in users. If `isForSpending`, it is forbidden to users' own tokens where the settings say
    /// so.
    package static func signedIn(
        _ method: HTTPRequest.Method, _ path: String, rate: RateLimits.Kind, isForSpending: Bool = false,
        _ route: @escaping @Sendable (UserCall) async throws(Problem) -> Response
    ) -> Endpoint {
        Endpoint(method, path) { call throws(Problem) in
            try await route(try await UserCall(call, rate: rate, isForSpending: isForSpending))
        }.readable(by: .listed)
    }

    /// An endpoint for signed-in users, and for servers whose API key has the scope. The route decides about whom each
    /// may ask.
    static func signedIn(
        _ method: HTTPRequest.Method, _ path: String, rate: RateLimits.Kind, orServer scope: APIKeyScope,
        _ route: @escaping @Sendable (Caller) async throws(Problem) -> Response
    ) -> Endpoint {
        Endpoint(method, path) { call throws(Problem) in
            guard ServerCall.isMeant(by: call.request) else {
                return try await route(.user(try await UserCall(call, rate: rate, isForSpending: false)))
            }
            return try await route(.server(try await ServerCall(call, scope: scope)))
        }.readable(by: .listed)
    }

    /// An endpoint for servers whose key has the scope; never for a user. Its lists are sent in gzip where asked.
    ///
    /// - Parameter rate: The rate of each server; nil if servers may ask as often as they like.
    package static func server(
        _ method: HTTPRequest.Method, _ path: String, _ scope: APIKeyScope, rate: RateLimits.Kind? = nil,
        _ route: @escaping @Sendable (ServerCall) async throws(Problem) -> Response
    ) -> Endpoint {
        let endpoint = Endpoint(method, path) { call throws(Problem) in
            let server = try await ServerCall(call, scope: scope)
            if let rate { try call.count(rate, for: .server(server.key.id), at: call.api.realNow()) }
            return try await route(server)
        }
        return (method == .get ? endpoint.sendingGzip(from: gzipFrom) : endpoint.reading([dryRun])).endingWithCaller
    }

    // MARK: Limits, query and path

    /// A copy of this endpoint whose query may have these parameters, each once.
    package func reading(_ parameters: [String]) -> Endpoint {
        var endpoint = self
        endpoint.parameters = parameters
        return endpoint
    }

    /// A copy of this endpoint with other limits of body size and time.
    package func allowing(bodyBytes: Int? = nil, seconds: Int64? = nil) -> Endpoint {
        var endpoint = self
        if let bodyBytes { endpoint.bodyLimit = bodyBytes }
        if let seconds { endpoint.deadlineSeconds = seconds }
        return endpoint
    }

    /// A copy of this endpoint whose answers the pages of other origins may read as `readers` says.
    package func readable(by readers: CrossOrigin.Readers) -> Endpoint {
        var endpoint = self
        endpoint.readers = readers
        return endpoint
    }

    /// A copy of this endpoint that sends answers of at least `bytes` in gzip to a client that accepts it.
    ///
    /// Answers with secrets must not be compressed, because the compressed length reveals something about the content.
    package func sendingGzip(from bytes: Int) -> Endpoint {
        var endpoint = self
        endpoint.leastGzip = bytes
        return endpoint
    }

    /// A copy of this endpoint that cancels the work on a request once it took too long or its connection is closed. A
    /// user's own request goes on, because what it records is the user's whether or not the answer arrives.
    package var endingWithCaller: Endpoint {
        var endpoint = self
        endpoint.endsWithCaller = true
        return endpoint
    }

    /// A copy of this endpoint that only `gatepass dev` serves; at any other server its path is not found.
    package var inDevelopmentOnly: Endpoint {
        var endpoint = self
        endpoint.isInDevelopmentOnly = true
        return endpoint
    }

    /// A copy of this endpoint, marked as one to which apps send their transactions.
    var takingTransactions: Endpoint {
        var endpoint = self
        endpoint.takesTransactions = true
        return endpoint
    }

    /// - Throws: ``Problem``.
    func respond(to request: Request, _ context: APIContext, _ api: API.Dependencies) async throws(Problem) -> Response
    {
        if isInDevelopmentOnly { try LocalSender.require(request.head) }
        let call = OpenCall(request, context, api, bodyLimit: bodyLimit, parameters: parameters)
        let response = try await endsWithCaller ? call.endingWithCaller(answer) : answer(call)
        guard let leastGzip else { return response }
        return await response.inGzip(from: leastGzip, if: request.headers[.acceptEncoding])
    }
}

extension OpenCall {
    /// Counts the request against the asker's rate limit. The answer's header then says how many requests are left.
    ///
    /// - Throws: `rate_limited`.
    func count(
        _ kind: RateLimits.Kind, for asker: RateLimiter.Asker, at now: Instant
    ) throws(Problem) {
        let quota = api.rateLimiter.take(kind, for: asker, at: now)
        if let quota, quota.isExceeded { throw Problem(quota) }
        context.countedRate.quota = quota
    }

    /// The answer of `route`, whose task is cancelled once nobody waits for the answer.
    ///
    /// - Throws: The error of `route`.
    fileprivate func endingWithCaller(
        _ route: @escaping @Sendable (OpenCall) async throws(Problem) -> Response
    ) async throws(Problem) -> Response {
        let work = Task { () async -> Result<Response, Problem> in
            do throws(Problem) {
                return .success(try await route(self))
            } catch {
                return .failure(error)
            }
        }
        context.whenCallerLeaves { work.cancel() }
        return try await withTaskCancellationHandler {
            await work.value
        } onCancel: {
            work.cancel()
        }.get()
    }

    /// - Throws: `invalid_request` for a parameter that the endpoint does not have, or that is given twice.
    func requireKnownParameters() throws(Problem) {
        guard let parameters, let text = request.uri.query, !text.isEmpty else { return }
        try Query(text).requireOnly(parameters)
    }
}

/// A request of a signed-in user.
package struct UserCall: SignedCall {
    package let user: UserID
    package let incoming: OpenCall

    /// Verifies the bearer token and takes one request from the user's rate.
    ///
    /// - Throws: `unauthenticated`, `user_id_not_allowed`, `signed_in_elsewhere`, `forbidden`, `rate_limited`,
    ///   `unavailable`; `invalid_request` for a parameter that the endpoint does not have.
    fileprivate init(_ call: OpenCall, rate: RateLimits.Kind, isForSpending: Bool) async throws(Problem) {
        guard !ServerCall.isMeant(by: call.request) else {
            let servers = call.twin.map { "a server asks \($0)." } ?? "nothing here takes an API key."
            throw Problem(.invalid("A user's token is required: " + servers) as BearerRefusal)
        }
        let named = try await call.namedUser()
        user = named.user
        guard call.api.usersMaySpend || !isForSpending else {
            let words = "Credits are spent by the app's servers, and not with a user's token."
            throw Problem(.notAllowed(words) as BearerRefusal)
        }
        let asker = named.madeAt.map { RateLimiter.Asker.appleAccount(named.user, madeAt: $0) } ?? .user(user)
        try call.count(rate, for: asker, at: call.api.realNow())
        try await call.requireSignedIn(named)
        try call.requireKnownParameters()
        incoming = call
    }

    /// Runs `fold` after the earlier reads of the same user have ended (``FoldLine``).
    ///
    /// - Throws: `rate_limited` if too many reads of the user wait, and what `fold` throws.
    package func inTurn<Answer>(
        about user: UserID, _ fold: () async throws(Problem) -> Answer
    ) async throws(Problem) -> Answer {
        try await inTurn(at: .own(user), fold)
    }

    /// The user as a principal who acts for themselves.
    var principal: Principal { Principal(user: user, actor: nil) }
}

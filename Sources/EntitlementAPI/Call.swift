package import Entitlements
package import Hummingbird
package import LedgerStore

/// A request as an endpoint sees it, from a user, a server or an unknown sender.
package protocol Call: Sendable {
    /// The request as it came.
    var incoming: OpenCall { get }
    /// True if the sender is authenticated before the request body is read.
    var isSenderKnown: Bool { get }
    /// True if the sender is a server with an API key.
    var isServer: Bool { get }
}

/// A request whose sender is not authenticated by a token: of anyone, or of a store that signs its webhooks.
package struct OpenCall: Call {
    package let request: Request
    let context: APIContext
    let api: API.Dependencies
    /// The instant at which the request came. Its whole answer takes this as the present.
    package let now: Instant
    let bodyLimit: Int
    /// The parameters that the query may have; nil where it may have any.
    let parameters: [String]?

    package var incoming: OpenCall { self }
    package var isSenderKnown: Bool { false }
    package var isServer: Bool { false }
    /// The network of the sender, for rates per network.
    package var network: [UInt8] { api.network(context.peer, request.headers[.forwardedFor]) }
    /// The network of the sender, for tries to sign in.
    package var signInNetwork: [UInt8] { Self.signInNetwork(of: network) }

    /// The network by which tries to sign in are told apart: a /24 of IPv4 or a /48 of IPv6, given an IPv4 address or
    /// the first 64 bits of an IPv6 address. A household may have a /56, which is 256 networks of 64 bits.
    static func signInNetwork(of network: [UInt8]) -> [UInt8] {
        switch network.count {
        case 4: Array(network.prefix(3))
        case 8: Array(network.prefix(6))
        default: network
        }
    }

    init(
        _ request: Request, _ context: APIContext, _ api: API.Dependencies, bodyLimit: Int, parameters: [String]?
    ) {
        self.request = request
        self.context = context
        self.api = api
        self.bodyLimit = bodyLimit
        self.parameters = parameters
        now = api.now()
    }
}

extension Call {
    package var request: Request { incoming.request }
    package var now: Instant { incoming.now }
    var context: APIContext { incoming.context }
    var api: API.Dependencies { incoming.api }

    /// A monotonic clock, for durations.
    package var uptime: @Sendable () -> Duration { api.uptime }

    /// The value of a path parameter, percent-decoded; nil if it is missing or not decodable.
    package func named(_ parameter: String) -> String? {
        context.parameters.get(parameter).flatMap { Query.decoded($0.utf8[...]) }
    }

    /// The request's body, byte for byte. A body whose declared length is over the limit was refused before
    /// (``Envelope``).
    ///
    /// - Throws: `payload_too_large`, `body_incomplete`. If the bodies of unknown senders take too much memory, it
    ///   throws `unavailable` or `rate_limited` (``BodiesInFlight``).
    package func bytes() async throws(Problem) -> [UInt8] {
        let limit = incoming.bodyLimit
        let stranger = isSenderKnown ? nil : incoming.network
        var bytes: [UInt8] = []
        defer { if let stranger { api.bodies.give(bytes.count, from: stranger) } }
        context.askForBody(of: request.headers[.contentLength].map { Int($0) ?? .max })
        do {
            for try await part in request.body {
                guard bytes.count + part.readableBytes <= limit else { throw Problem.bodyTooLarge(limit: limit) }
                if let stranger { try api.bodies.take(part.readableBytes, from: stranger) }
                bytes.append(contentsOf: part.readableBytesView)
            }
            return bytes
        } catch let problem as Problem {
            throw problem
        } catch {
            // The connection broke, and the sender may read no answer.
            throw Problem.bodyIncomplete
        }
    }

    /// The request's JSON body; a sender who is known may send it in gzip.
    ///
    /// - Throws: `unsupported_media_type`, `invalid_request`, and what ``bytes()`` throws. A gzip body that decodes to
    ///   too many bytes is `payload_too_large`; one without its end is `body_incomplete`.
    func json() async throws(Problem) -> JSONBody {
        let coding = try MediaType.codingOfJSON(in: request, allowsGzip: isSenderKnown)
        return try parsed(try await bytes(), from: coding)
    }

    /// The body as JSON, or an empty object for a request without a body.
    ///
    /// - Throws: The errors of ``json()``.
    func optionalJSON() async throws(Problem) -> JSONBody {
        let bytes = try await bytes()
        guard !bytes.isEmpty else { return try JSONBody(Array("{}".utf8)) }
        let coding = try MediaType.codingOfJSON(in: request, allowsGzip: isSenderKnown)
        return try parsed(bytes, from: coding)
    }

    private func parsed(_ bytes: [UInt8], from coding: MediaType.Coding) throws(Problem) -> JSONBody {
        let body = try JSONBody(try decoded(bytes, from: coding))
        if isServer { try body.refusePreview(isOffered: incoming.parameters?.contains(Endpoint.dryRun) ?? false) }
        return body
    }

    private func decoded(_ bytes: [UInt8], from coding: MediaType.Coding) throws(Problem) -> [UInt8] {
        guard coding == .gzip else { return bytes }
        do throws(Gzip.Defect) {
            return try Gzip.decoded(bytes, limit: incoming.bodyLimit)
        } catch {
            switch error {
            case .malformed: throw .invalidRequest("The body is not one gzip member.", at: "#")
            case .cutOff: throw Problem(.bodyIncomplete, "The body in gzip does not end.")
            case .tooLarge:
                throw Problem(
                    .payloadTooLarge,
                    "Decoded, the body may have \(incoming.bodyLimit) bytes, and \(Gzip.maximumRatio) times those sent."
                )
            }
        }
    }

    /// Makes labels under this installation's pseudonym key.
    ///
    /// - Throws: `unavailable`.
    func labels() throws(Problem) -> Labels {
        do throws(ServiceFailure) {
            return try api.store().labels
        } catch {
            throw Problem(error)
        }
    }

    /// The present key that signs tokens, and the keys that verify them.
    ///
    /// - Throws: `unavailable` if the keys cannot be read or opened.
    func signingKeys() async throws(Problem) -> SigningKeyRing {
        do throws(SigningKeyFault) {
            return try await api.signingKeys()
        } catch {
            throw Problem(error)
        }
    }

    /// Logs an act of somebody of the staff. The line names nobody to whom it was done.
    package func log(_ action: AuditAction, by actor: Actor) { api.logger.tell(action, by: actor) }

    /// Runs `fold` after the earlier reads of `place` have ended (``FoldLine``).
    ///
    /// - Throws: `rate_limited` if too many reads of the place wait, and what `fold` throws.
    package func inTurn<Answer>(
        at place: FoldLine.Place, _ fold: () async throws(Problem) -> Answer
    ) async throws(Problem) -> Answer {
        try await api.foldLine.run(at: place, fold)
    }

    /// The result of `ask`, called with the open store. A failure of the database is logged and becomes a problem.
    ///
    /// - Throws: `unavailable`, for any error of `ask`.
    package func served<Value>(_ ask: (Store) async throws -> Value) async throws(Problem) -> Value {
        do {
            return try await ask(try api.store())
        } catch let failure as ServiceFailure {
            api.logger.tell(failure)
            throw Problem(failure)
        } catch is CancellationError {
            throw .tookTooLong
        } catch {
            api.logger.tell(unexpected: error)
            throw .unexpected
        }
    }
}

package import Entitlements
package import Hummingbird
import LedgerStore

/// A request as an endpoint sees it, from a user, a server or an unknown sender.
package protocol Call: Sendable {
    /// The request as it came.
    var incoming: OpenCall { get }
    /// True if the sender showed who they are before the body is read.
    var isSenderKnown: Bool { get }
}

/// A request as it came: of anyone, or of a store that signs what it sends.
package struct OpenCall: Call {
    package let request: Request
    let context: APIContext
    let api: API.Dependencies
    /// When the request came; the present in all that it asks.
    package let now: Instant
    let bodyLimit: Int
    /// The parameters that the query may have; nil where it may have any.
    let parameters: [String]?

    package var incoming: OpenCall { self }
    package var isSenderKnown: Bool { false }
    /// The network that the sender counts with.
    var network: [UInt8] { api.network(context.peer, request.headers[.forwardedFor]) }

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

    /// A parameter of the path, its escapes decoded; nil when they cannot be.
    package func named(_ parameter: String) -> String? {
        context.parameters.get(parameter).flatMap { Query.decoded($0.utf8[...]) }
    }

    /// The request's body, byte for byte.
    ///
    /// - Throws: `payload_too_large` (a length that was not declared), `body_incomplete`, `unavailable` and `rate_limited` when bodies of unknown senders fill what they may (``BodiesInFlight``).
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
    /// - Throws: `unsupported_media_type`, `payload_too_large` (a length that was not declared, or too much in gzip),
    ///   `invalid_request`.
    func json() async throws(Problem) -> JSONBody {
        let coding = try MediaType.codingOfJSON(in: request, allowsGzip: isSenderKnown)
        return try JSONBody(try decoded(try await bytes(), from: coding))
    }

    /// The body as JSON, or an empty object for a request without a body.
    ///
    /// - Throws: `payload_too_large`, `unsupported_media_type`, `invalid_request`.
    func optionalJSON() async throws(Problem) -> JSONBody {
        let bytes = try await bytes()
        guard !bytes.isEmpty else { return try JSONBody(Array("{}".utf8)) }
        let coding = try MediaType.codingOfJSON(in: request, allowsGzip: isSenderKnown)
        return try JSONBody(try decoded(bytes, from: coding))
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
                    "Decoded, the body may have \(incoming.bodyLimit) bytes, and \(Gzip.maximumRatio) times what was sent.")
            }
        }
    }

    /// The keys that sign tokens, and those that verify them.
    ///
    /// - Throws: `unavailable`.
    func signingKeys() async throws(Problem) -> SigningKeyRing {
        do throws(SigningKeyFault) {
            return try await api.signingKeys()
        } catch {
            throw Problem(error)
        }
    }

    /// The store's answer. A failure of the store becomes a problem, and stands in the log.
    ///
    /// - Throws: `unavailable`.
    func served<Value>(_ ask: (Store) async throws -> Value) async throws(Problem) -> Value {
        do {
            return try await ask(try api.store())
        } catch let failure as ServiceFailure {
            api.logger.tell(failure)
            throw Problem(failure)
        } catch {
            throw .unexpected
        }
    }
}

import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The calls over HTTP, one request each. Whatever is not Gatepass's own answer is no answer.
struct Service: Sendable {
    typealias Transport = @Sendable (URLRequest) async throws -> (Data, URLResponse)

    let server: URL
    var transport: Transport = { try await Service.session.data(for: $0) }

    /// Without a cache: a kept body would come back with an old `at`, by which this client would set its clock.
    private static let session = URLSession(configuration: .ephemeral)

    /// A request for a path whose segments are escaped already. `seconds` is the longest pause between two bytes.
    struct Request: Sendable {
        let method: String
        let path: String
        var query: [String: String] = [:]
        var headers: [String: String] = [:]
        var body: (any Encodable & Sendable)?
        var seconds: Double = 20
    }

    func value<Answer: Decodable & Sendable>(
        of request: Request, as type: Answer.Type, bearer: String?
    ) async throws(GatepassError) -> Answer {
        let body = try await data(of: request, bearer: bearer)
        if body.isEmpty, let nothing = Nothing() as? Answer { return nothing }
        do {
            return try JSONDecoder.gatepass.decode(Answer.self, from: body)
        } catch {
            throw .noAnswer  // cut, or a page of a captive portal
        }
    }

    func data(of request: Request, bearer: String?) async throws(GatepassError) -> Data {
        let answer: (body: Data, response: URLResponse)
        do {
            answer = try await transport(try urlRequest(of: request, bearer: bearer))
        } catch {
            throw .noAnswer
        }
        guard let response = answer.response as? HTTPURLResponse else { throw .noAnswer }
        if (200..<300).contains(response.statusCode) { return answer.body }
        throw Self.refusal(response, answer.body)
    }

    private func urlRequest(of request: Request, bearer: String?) throws -> URLRequest {
        guard var address = URLComponents(url: server, resolvingAgainstBaseURL: false) else { throw URLError(.badURL) }
        if address.percentEncodedPath.hasSuffix("/") { address.percentEncodedPath.removeLast() }
        address.percentEncodedPath += request.path
        if !request.query.isEmpty {
            address.queryItems = request.query.map { URLQueryItem(name: $0.key, value: $0.value) }
        }
        guard let url = address.url else { throw URLError(.badURL) }
        var made = URLRequest(
            url: url, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: request.seconds)
        made.httpMethod = request.method
        if let bearer { made.setValue("Bearer \(bearer)", forHTTPHeaderField: "Authorization") }
        for (name, value) in request.headers { made.setValue(value, forHTTPHeaderField: name) }
        if let body = request.body {
            made.setValue("application/json", forHTTPHeaderField: "Content-Type")
            made.httpBody = try JSONEncoder().encode(body)
        }
        return made
    }

    private static func refusal(_ response: HTTPURLResponse, _ body: Data) -> GatepassError {
        let header = response.value(forHTTPHeaderField: "Retry-After").flatMap { Int($0) }
        guard let problem = try? JSONDecoder.gatepass.decode(Problem.self, from: body) else {
            // No problem of Gatepass's: a proxy in front of it. Its wait counts, its status says nothing of the user.
            return header.map { GatepassError.wait(seconds: $0, nil) } ?? .noAnswer
        }
        if problem.code == .stale { return .stale(problem) }
        if problem.retry == .later, let seconds = problem.retryAfter ?? header {
            return .wait(seconds: seconds, problem)
        }
        return .refused(problem)
    }
}

/// An answer without a body.
struct Nothing: Decodable, Sendable {}

extension JSONDecoder {
    /// Instants are RFC 3339 with whole seconds (`api.md`, Conventions).
    static var gatepass: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return decoder
    }
}

extension String {
    /// As one segment of a path.
    var escaped: String {
        addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(CharacterSet(charactersIn: "-._~"))) ?? ""
    }
}

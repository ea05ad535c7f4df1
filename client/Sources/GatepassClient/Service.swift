import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A request. What stands in its path and query is escaped already.
struct Request: Sendable {
    var method = "GET"
    let path: String
    var headers: [String: String] = [:]
    var body: (any Encodable & Sendable)?

    static func post(
        _ path: String, _ body: (any Encodable & Sendable)? = nil, headers: [String: String] = [:]
    ) -> Request { Request(method: "POST", path: path, headers: headers, body: body) }
}

/// The calls over HTTP. Whatever is not Gatepass's own answer is no answer.
struct Service: Sendable {
    typealias Transport = @Sendable (URLRequest) async throws -> (Data, URLResponse)

    let server: URL
    /// Without a cache: a kept body would come back with an old `at`, by which this client would set its clock.
    var transport: Transport = { [session = URLSession(configuration: .ephemeral)] in try await session.data(for: $0) }

    func answer<Answer: Decodable & Sendable>(
        to request: Request, bearer: String? = nil
    ) async throws(GatepassError) -> Answer {
        do {
            let (body, response) = try await transport(urlRequest(for: request, bearer: bearer))
            guard let response = response as? HTTPURLResponse else { throw GatepassError.noAnswer }
            guard (200..<300).contains(response.statusCode) else { throw Self.error(request, response, body) }
            return try JSONDecoder.gatepass.decode(Answer.self, from: body.isEmpty ? Data("{}".utf8) : body)
        } catch let error as GatepassError {
            throw error
        } catch {
            throw .noAnswer  // no network; or a body that was cut, or a page of a captive portal
        }
    }

    private func urlRequest(for request: Request, bearer: String?) throws -> URLRequest {
        let address = server.absoluteString
        guard let url = URL(string: (address.hasSuffix("/") ? String(address.dropLast()) : address) + request.path)
        else { throw URLError(.badURL) }
        var made = URLRequest(url: url, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: 20)
        made.httpMethod = request.method
        made.allHTTPHeaderFields = request.headers
        if let bearer { made.setValue("Bearer \(bearer)", forHTTPHeaderField: "Authorization") }
        if let body = request.body {
            made.setValue("application/json", forHTTPHeaderField: "Content-Type")
            made.httpBody = try JSONEncoder().encode(body)
        }
        return made
    }

    private static func error(_ request: Request, _ response: HTTPURLResponse, _ body: Data) -> GatepassError {
        let wait = response.value(forHTTPHeaderField: "Retry-After").flatMap { Int($0) }
        // A proxy's is no problem of Gatepass's: its wait counts, and its status says nothing of the user.
        guard let problem = try? JSONDecoder.gatepass.decode(Problem.self, from: body) else {
            return wait.map { .wait(seconds: $0, nil) } ?? .noAnswer
        }
        if problem.code == .stale { return .stale(problem) }
        if problem.retry == .later, let wait = problem.retryAfter ?? wait { return .wait(seconds: wait, problem) }
        let isOfSignIn = problem.status == 401 || request.path.hasSuffix("/sign-in")
        return isOfSignIn ? .notSignedIn(problem) : .refused(problem)
    }
}

extension JSONDecoder {
    /// Names in Swift's spelling; instants are RFC 3339 with whole seconds (`api.md`, Conventions).
    static var gatepass: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        decoder.keyDecodingStrategy = .custom { WireName(stringValue: camelCase($0[$0.count - 1].stringValue)) }
        return decoder
    }
}

private struct WireName: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }

    init?(intValue: Int) { return nil }
}

/// `user_id` as `userID`.
func camelCase(_ name: String) -> String {
    let words = name.split(separator: "_")
    return words.prefix(1).joined() + words.dropFirst().map { $0 == "id" ? "ID" : $0.capitalized }.joined()
}

extension String {
    /// As one segment of a path.
    var escaped: String {
        addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(CharacterSet(charactersIn: "-._~"))) ?? ""
    }
}

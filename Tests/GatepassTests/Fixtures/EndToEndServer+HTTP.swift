import AppStore
import AsyncHTTPClient
import Crypto
import FoundationEssentials
import NIOCore
import NIOHTTP1
import StoreSimulator
import StrictJSON
import Support

/// One answer, read whole.
struct EndToEndAnswer: Sendable {
    let status: Int
    let headers: HTTPHeaders
    let body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }

    /// A value in the body, by names and positions with dots between: `results.3.outcome`.
    subscript(path: String) -> JSONValue? {
        guard let json = try? StrictJSON(body) else { return nil }  // no JSON: the test will miss the value
        return path.split(separator: ".").reduce(JSONValue(json)) { value, step in
            guard let position = Int(step) else { return value?[String(step)] }
            return value?.elements.flatMap { $0.indices.contains(position) ? $0[position] : nil }
        }
    }

    func string(_ path: String) -> String? { self[path]?.string }
    func integer(_ path: String) -> Int64? { self[path]?.integer.flatMap { Int64($0) } }
    func count(_ path: String) -> Int? { self[path]?.elements?.count }
}

extension EndToEndServer {
    static let client: HTTPClient = {
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 96
        // Shorter than the server's 30 seconds, so that no request is sent on a connection that is just being closed.
        configuration.connectionPool.idleTimeout = .seconds(20)
        configuration.timeout = .init(connect: .seconds(30), read: .seconds(60))
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()

    /// Sends one request, signed in as `user` if one is named, to another port than the server's if one is given.
    /// Throws when no whole answer came.
    @discardableResult
    func send(
        _ method: String = "GET", _ path: String, _ body: [UInt8]? = nil, as user: String? = nil,
        fields: [(String, String)] = [], at otherPort: Int? = nil, seconds: Int64 = 60
    ) async throws -> EndToEndAnswer {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(otherPort ?? port)\(path)")
        request.method = .RAW(value: method)
        if let user { request.headers.add(name: "Authorization", value: "Bearer " + Self.token(of: user)) }
        if let body {
            if !fields.contains(where: { $0.0.lowercased() == "content-type" }) {
                request.headers.add(name: "Content-Type", value: "application/json")
            }
            request.body = .bytes(body, length: .known(Int64(body.count)))
        }
        for (name, value) in fields { request.headers.add(name: name, value: value) }
        let response = try await Self.client.execute(request, timeout: .seconds(seconds))
        let bytes = try await response.body.collect(upTo: 16 << 20)
        return EndToEndAnswer(status: Int(response.status.code), headers: response.headers, body: Array(buffer: bytes))
    }

    /// The status of the answer to a body of which only the length and the first byte are sent: a client that goes on
    /// writing may lose the answer.
    func begin(_ path: String, bytes: Int64, as user: String) async throws -> Int {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)\(path)")
        request.method = .POST
        request.headers.add(name: "Authorization", value: "Bearer " + Self.token(of: user))
        request.headers.add(name: "Content-Type", value: "application/json")
        let (body, rest) = AsyncStream.makeStream(of: ByteBuffer.self)
        rest.yield(ByteBuffer(string: "["))
        request.body = .stream(body, length: .known(bytes))
        let response = try await Self.client.execute(request, timeout: .seconds(20))
        rest.finish()
        return Int(response.status.code)
    }

    /// The status of an answer to anyone; nil when nobody answers.
    func answers(_ path: String) async -> Int? {
        try? await send("GET", path, seconds: 5).status
    }

    /// Attaches a signed text. Throws when no whole answer came.
    @discardableResult
    func attach(_ jws: String, as user: String, seconds: Int64 = 60) async throws -> EndToEndAnswer {
        let body = #"{"signedTransactionJWS":"# + SimulatedPayload.quoted(jws) + "}"
        return try await send("POST", Self.attachPath, Array(body.utf8), as: user, seconds: seconds)
    }

    static let attachPath = "/api/iap/apple/transactions/attach"
    static let restorePath = "/api/iap/apple/restore"
    static let statusPath = "/api/iap/apple/status"

    /// Restores items that are JSON values already. Throws when no whole answer came.
    @discardableResult
    func restore(_ items: [String], as user: String, seconds: Int64 = 60) async throws -> EndToEndAnswer {
        let body = #"{"signedTransactions":["# + items.joined(separator: ",") + "]}"
        return try await send("POST", Self.restorePath, Array(body.utf8), as: user, seconds: seconds)
    }

    /// What the user has. Throws when no whole answer came.
    func status(of user: String, _ query: String = "") async throws -> EndToEndAnswer {
        try await send("GET", Self.statusPath + query, as: user)
    }

    /// Signs a transaction. Throws never with the tests' authority.
    func sign(_ transaction: SimulatedTransaction) throws -> String {
        try authority.sign(transaction).text
    }

    /// A pass bought at `at`, signed a second later.
    static func pass(
        _ id: String = EndToEnd.newID(), of product: String = "com.airport.vpn.pass.30d", at: Int64
    ) -> SimulatedTransaction {
        SimulatedTransaction(id, of: product, type: .nonRenewingSubscription, bundleId: bundleID, at: at)
    }

    /// A token of the app's login.
    static func token(of user: String, expiresIn seconds: Int64 = 3_600) -> String {
        let claims = "{\"sub\":\(SimulatedPayload.quoted(user)),\"exp\":\(EndToEnd.now / 1_000 + seconds)}"
        let text = base64URL(Array(#"{"alg":"HS256","typ":"JWT"}"#.utf8)) + "." + base64URL(Array(claims.utf8))
        let code = HMAC<SHA256>.authenticationCode(
            for: Array(text.utf8), using: SymmetricKey(data: Array(secret.utf8)))
        return text + "." + base64URL(Array(code))
    }

    static func base64URL(_ bytes: [UInt8]) -> String {
        let text = Data(bytes).base64EncodedString()
        return String(text.compactMap { $0 == "=" ? nil : $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
    }
}

import Entitlements
import LedgerStore
import NIOCore
import NIOHTTP1
import Testing

@testable import EntitlementAPI

/// Which pages of other origins may read what (`threats.md` T41).
struct CrossOriginTests {
    private static let shop = "https://shop.example.com"
    private static let local = "http://localhost:5173"
    private static let status = "/api/iap/apple/status"
    private static let attach = "/api/iap/apple/transactions/attach"
    private static let products = "/api/iap/apple/products"
    private static let exposed =
        "ETag, Retry-After, RateLimit, RateLimit-Policy, WWW-Authenticate, X-Request-Id, Content-Language, "
        + "Idempotency-Replayed"

    /// The documents that pages of any origin may read.
    private static let documents = [products, "/.well-known/jwks.json", "/openapi.yaml", "/openapi/app.yaml"]

    /// Texts that are like the listed origin in all but one point.
    private static let hostile = [
        "null", "NULL", "*", "https://shop.example", "https://shop.example.comm",
        "https://shop.example.com.evil.example", "https://evil.example/https://shop.example.com",
        "https://evilshop.example.com", "https://a.shop.example.com",
        "http://shop.example.com", "https://shop.example.com:443", "https://shop.example.com:8443",
        "https://shop.example.com:", "https://Shop.example.com", "HTTPS://shop.example.com",
        "https://shop.example.com.", "https://shop.example.com/", "https://shop.example.com/a",
        "https://shop.example.com?", "https://shop.example.com#", "https://me@shop.example.com", "//shop.example.com",
        "shop.example.com", "https://shop.example.com,https://shop.example.com",
        "https://shop.example.com https://evil.example", "https://shop%2eexample.com",
        "https://shop.example\u{2024}com", "\"https://shop.example.com\"", "https:/shop.example.com",
        "http://localhost:51733", "http://localhost", "http://127.0.0.1:5173",
    ]

    private static func run(
        _ origins: [String] = [shop, local], limits: ServerLimits = ServerLimits(),
        rateLimits: RateLimits = RateLimits(), _ body: @Sendable (TestServer) async throws -> Void
    ) async throws {
        try await TestServer.run(limits: limits, rateLimits: rateLimits, allowedOrigins: origins) { server in
            try await server.sell("pass.30d", as: "p1", .pass, to: "u1")
            try await body(server)
        }
    }

    /// The fields of an answer by which browsers decide, but for `Vary`.
    private static func told(_ answer: TestServer.Answer) -> [String: String] {
        let fields = answer.headers.filter { $0.name.lowercased().hasPrefix("access-control-") }
        return Dictionary(fields.map { ($0.name.lowercased(), $0.value) }) { $0 + " and " + $1 }
    }

    private static func readable(by origin: String) -> [String: String] {
        ["access-control-allow-origin": origin, "access-control-expose-headers": exposed]
    }

    private static func vary(_ answer: TestServer.Answer) -> [String] {
        answer.headers[canonicalForm: "Vary"].map(String.init)
    }

    private static func preflight(_ path: String, _ method: String, from origin: String, _ server: TestServer)
        async throws -> TestServer.Answer
    {
        try await server.send(
            "OPTIONS", path, token: nil,
            fields: [
                ("Origin", origin), ("Access-Control-Request-Method", method),
                ("Access-Control-Request-Headers", "authorization,if-none-match"),
            ])
    }

    @Test func `a page of a listed origin reads what a user's token gives, and every problem of it`() async throws {
        try await Self.run(rateLimits: RateLimits(attachPerMinute: 2)) { server in
            func send(
                _ method: String, _ path: String, _ body: String? = nil, token: String? = Fixture.token(of: "u1"),
                fields: [(String, String)] = [], from origin: String = Self.shop
            ) async throws -> TestServer.Answer {
                let answer = try await server.send(
                    method, path, body, token: token, fields: [("Origin", origin)] + fields)
                #expect(Self.told(answer) == Self.readable(by: origin), "\(method) \(path): \(answer.status)")
                #expect(Self.vary(answer).contains("Origin"), "\(method) \(path): \(answer.status)")
                return answer
            }
            let status = try await send("GET", Self.status)
            #expect(status.status == 200 && Self.vary(status) == ["Authorization", "Accept-Encoding", "Origin"])
            let tag = [("If-None-Match", status.headers.first(name: "ETag") ?? "")]
            #expect(try await send("GET", Self.status, fields: tag, from: Self.local).status == 304)
            #expect(try await send("HEAD", Self.status).status == 200)
            #expect(try await send("GET", Self.status + "?at=never").status == 400)
            #expect(try await send("GET", Self.status, token: nil).status == 401)
            #expect(try await send("DELETE", Self.status).status == 405)
            #expect(try await send("POST", Self.attach, String(repeating: "x", count: 70_000)).status == 413)
            #expect(try await send("POST", Self.attach, "{}", fields: [("Content-Type", "text/plain")]).status == 415)
            #expect(try await send("POST", Self.attach, #"{"signedTransactionJWS":"x"}"#).status == 422)
            #expect(try await send("POST", Self.attach, "{}").status == 429)
            #expect(try await send("GET", "//api/iap//apple/status").status == 404, "it is another path")
        }
        try await TestServer.run(isOpen: false, allowedOrigins: [Self.shop]) { server in
            let away = try await server.send("GET", Self.status, fields: [("Origin", Self.shop)])
            #expect(away.status == 503 && Self.told(away) == Self.readable(by: Self.shop))
        }
    }

    @Test func `a preflight of a listed origin says what may be sent, and no other OPTIONS does`() async throws {
        try await Self.run { server in
            let preflight = try await Self.preflight(Self.status, "GET", from: Self.shop, server)
            let said = [
                "access-control-allow-origin": Self.shop, "access-control-allow-methods": "GET, HEAD, OPTIONS",
                "access-control-allow-headers":
                    "Authorization, Content-Type, Idempotency-Key, If-None-Match, X-Request-Id",
                "access-control-max-age": "7200",
            ]
            #expect(preflight.status == 204 && preflight.body.isEmpty && Self.told(preflight) == said)
            #expect(preflight.headers["Allow"] == ["GET, HEAD, OPTIONS"] && Self.vary(preflight) == ["Origin"])
            let devices = try await Self.preflight("/api/devices/d1", "DELETE", from: Self.local, server)
            #expect(Self.told(devices)["access-control-allow-methods"] == "DELETE, OPTIONS")
            let known = try await Self.preflight(Self.products, "GET", from: "https://anybody.example", server)
            #expect(Self.told(known) == said.merging(["access-control-allow-origin": "*"]) { $1 })
            for fields in [
                [("Origin", Self.shop)], [("Access-Control-Request-Method", "GET")], [],
                [("Origin", Self.shop), ("Access-Control-Request-Headers", "authorization")],
            ] {
                for path in [Self.status, Self.products] {
                    let options = try await server.send("OPTIONS", path, token: nil, fields: fields)
                    #expect(options.status == 204 && options.headers["Allow"] == ["GET, HEAD, OPTIONS"])
                    #expect(Self.told(options) == [:], "\(path) \(fields)")
                }
            }
            let nowhere = try await Self.preflight("/nowhere", "GET", from: Self.shop, server)
            #expect(nowhere.status == 404 && Self.told(nowhere) == [:])
        }
    }

    @Test func `an origin that is not listed reads nothing, and the answer is the same as to an app`() async throws {
        try await Self.run { server in
            let plain = try await server.send("GET", Self.status)
            #expect(plain.status == 200 && Self.told(plain) == [:])
            #expect(Self.vary(plain) == ["Authorization", "Accept-Encoding", "Origin"])
            for origin in Self.hostile {
                let answer = try await server.send("GET", Self.status, fields: [("Origin", origin)])
                #expect(answer.status == 200 && answer.body == plain.body, "\(origin): \(answer.body)")
                #expect(Self.told(answer) == [:] && Self.vary(answer) == Self.vary(plain), "\(origin)")
                let refused = try await server.send("GET", Self.status, token: nil, fields: [("Origin", origin)])
                #expect(refused.status == 401 && Self.told(refused) == [:], "\(origin)")
                let preflight = try await Self.preflight(Self.status, "GET", from: origin, server)
                #expect(preflight.status == 204 && Self.told(preflight) == [:], "\(origin)")
                #expect(preflight.headers["Allow"] == ["GET, HEAD, OPTIONS"])
            }
            for second in [Self.shop, "https://evil.example", "null"] {
                let (shop, other) = (("Origin", Self.shop), ("oRIGIN", second))
                for fields in [[shop, other], [other, shop]] {
                    let answer = try await server.send("GET", Self.status, fields: fields)
                    #expect(answer.status == 200 && answer.body == plain.body && Self.told(answer) == [:], "\(fields)")
                }
            }
        }
        try await Self.run([]) { server in
            let answer = try await server.send("GET", Self.status, fields: [("Origin", Self.shop)])
            #expect(answer.status == 200 && Self.told(answer) == [:], "none is listed unless the operator lists it")
        }
    }

    @Test func `documents are for pages of any origin, whatever it is`() async throws {
        try await Self.run([]) { server in
            for path in Self.documents {
                for origin in [nil, Self.shop, "null", "nonsense"] {
                    let fields = origin.map { [("Origin", $0)] } ?? []
                    let answer = try await server.send("GET", path, token: nil, fields: fields)
                    #expect(answer.status == 200 && Self.told(answer) == Self.readable(by: "*"), "\(path)")
                    #expect(!Self.vary(answer).contains("Origin"))
                }
            }
            let wrong = try await server.send("GET", Self.products + "?bundle_id=none", token: nil)
            #expect(wrong.status == 404 && Self.told(wrong) == Self.readable(by: "*"))
        }
    }

    @Test func `each route is for the pages that its callers have, all methods of a path alike`() async throws {
        for endpoint in Routes.all {
            let isUsers =
                endpoint.path.hasPrefix("/api/")
                && !["/api/admin/", "/api/billing/webhooks/"].contains { endpoint.path.hasPrefix($0) }
            let isDocument = Self.documents.contains(endpoint.path)
            let expected: CrossOrigin.Readers = isDocument ? .anybody : isUsers ? .listed : .none
            #expect(endpoint.readers == expected, "\(endpoint.path)")
            #expect(Routes.all.allSatisfy { $0.path != endpoint.path || $0.readers == endpoint.readers })
        }
        try await Self.run { server in
            for path in ["/livez", "/readyz", "/metrics", "/api/admin/users/u1/status", "/nowhere"] {
                let answer = try await server.send(
                    "GET", path, token: Fixture.apiKey(.admin), fields: [("Origin", Self.shop)])
                #expect(Self.told(answer) == [:] && !Self.vary(answer).contains("Origin"), "\(path)")
                #expect(try await Self.told(Self.preflight(path, "GET", from: Self.shop, server)) == [:], "\(path)")
            }
            let hook = "/api/billing/webhooks/stripe"
            let refused = try await server.send("POST", hook, "{}", token: nil, fields: [("Origin", Self.shop)])
            #expect(refused.status == 400 && Self.told(refused) == [:])
            #expect(try await Self.told(Self.preflight(hook, "POST", from: Self.shop, server)) == [:])
        }
    }

    @Test func `no answer lets cookies or other credentials come along`() async throws {
        try await Self.run { server in
            for path in [Self.status, Self.products] {
                let answer = try await server.send(
                    "GET", path, fields: [("Origin", Self.shop), ("Cookie", "session=1")])
                #expect(answer.headers["Access-Control-Allow-Credentials"].isEmpty)
                let preflight = try await Self.preflight(path, "GET", from: Self.shop, server)
                #expect(preflight.headers["Access-Control-Allow-Credentials"].isEmpty)
            }
        }
    }

    /// A request that is written by hand, and what comes.
    private static func exchange(
        _ line: String, _ fields: [String], body: String = "", _ server: TestServer
    ) async throws -> String {
        let head = ([line, "Host: x", "Authorization: Bearer " + Fixture.token(of: "u1")] + fields)
        let text = head.joined(separator: "\r\n") + "\r\n\r\n" + body
        return try await RawExchange.send([text], to: server.port).text
    }

    @Test func `problems that no route writes are told to a listed origin too`() async throws {
        var limits = ServerLimits()
        limits.requestSeconds = 1
        try await Self.run(limits: limits) { server in
            func expect(_ status: Int, _ text: String, for origin: String?, line: Int = #line) {
                #expect(text.hasPrefix("HTTP/1.1 \(status) "), "line \(line): \(text)")
                let told = text.split(separator: "\r\n").first { $0.hasPrefix("Access-Control-Allow-Origin: ") }
                #expect(told == origin.map { "Access-Control-Allow-Origin: \($0)" }, "line \(line): \(text)")
                #expect(text.contains("Access-Control-Expose-Headers: \(Self.exposed)") == (origin != nil))
                #expect(!text.contains("\r\nVary:") || text.contains("\r\nVary: Origin\r\n"))
            }
            for origin in [Self.shop, "https://evil.example", "null"] {
                let told = origin == Self.shop ? origin : nil
                let field = "Origin: " + origin
                let json = "Content-Type: application/json"
                let chunks = try await Self.exchange(
                    "POST \(Self.attach)?a=b HTTP/1.1", [field, json, "Transfer-Encoding: chunked"],
                    body: "zz\r\n", server)
                expect(400, chunks, for: told)
                let long = try await Self.exchange(
                    "POST \(Self.attach) HTTP/1.1", [field, json, "Content-Length: 10000000"], server)
                expect(413, long, for: told)
                let late = try await Self.exchange(
                    "POST \(Self.attach) HTTP/1.1", [field, json, "Content-Length: 1000"], body: "{", server)
                expect(503, late, for: told)
                let hook = try await Self.exchange(
                    "POST /api/billing/webhooks/stripe HTTP/1.1",
                    [field, "Transfer-Encoding: chunked"], body: "zz\r\n", server)
                expect(400, hook, for: nil)
                // A header that cannot be read names no origin, and its problem is about nobody.
                let many = (0..<200).map { "A\($0): b" }
                expect(431, try await Self.exchange("GET \(Self.status) HTTP/1.1", [field] + many, server), for: "*")
                expect(400, try await Self.exchange("GET \(Self.status) HTTP/1.1", [field, "A : b"], server), for: "*")
            }
        }
    }
}

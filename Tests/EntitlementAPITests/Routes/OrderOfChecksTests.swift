import AppStore
import Entitlements
import HTTPTypes
import LedgerStore
import Entitlements
import NIOHTTP1
import StrictJSON
import Support
import Synchronization
import Testing

@testable import EntitlementAPI

struct OrderOfChecksTests {
    private static let attach = "/api/iap/apple/transactions/attach"
    /// What stands for the parameters of paths.
    private static let parameters = [
        "{user_id}": "u1", "{unit}": "credit", "{reservation_id}": "r1", "{device_id}": "d1",
        "{key_id}": "1", "{grant_id}": "g1",
    ]
    /// What a path asks at least.
    private static let queries = [
        "/api/billing/plan-change": "?plan_id=annual_3", "/api/admin/search": "?q=a",
    ]

    @Test func `the first thing that is wrong is answered`() async throws {
        try await TestServer.run(rateLimits: RateLimits(attachPerMinute: 4)) { server in
            let large = String(repeating: "x", count: 64 * 1024 + 1)
            let text = [("Content-Type", "text/plain")]
            func expect(
                _ status: Int, _ code: String, _ method: String = "POST", _ path: String = Self.attach,
                _ body: String? = "{}",
                token: String? = Fixture.token(of: "u1"), fields: [(String, String)] = [], line: Int = #line
            ) async throws {
                let answer = try await server.send(method, path, body, token: token, fields: fields)
                #expect(answer.status == status && answer.code == code, "line \(line): \(answer.status) \(answer.body)")
                #expect(answer.headers.first(name: "content-type") == "application/problem+json")
                #expect(answer.headers.first(name: "x-content-type-options") == "nosniff")
                #expect(answer.headers["content-language"] == ["en"])
            }
            try await expect(413, "payload_too_large", "POST", Self.attach, large, token: nil, fields: text)
            try await expect(413, "payload_too_large", "PUT", "/nowhere", large, token: nil, fields: text)
            try await expect(413, "payload_too_large", "POST", "/api/iap/apple/status", large, token: nil, fields: text)
            try await expect(404, "not_found", "POST", "/nowhere", "{}", token: nil, fields: text)
            try await expect(405, "method_not_allowed", "PUT", Self.attach, "{}", token: nil, fields: text)
            try await expect(405, "method_not_allowed", "POST", "/livez", "{}", token: nil, fields: text)
            try await expect(401, "unauthenticated", token: nil, fields: text)
            try await expect(415, "unsupported_media_type", fields: text)
            try await expect(415, "unsupported_media_type", fields: [("Content-Encoding", "br")])
            try await expect(400, "invalid_request")
            try await expect(422, "evidence_invalid", "POST", Self.attach, #"{"signedTransactionJWS":"x"}"#)
            try await expect(429, "rate_limited", "POST", Self.attach, "not json", fields: text)
        }
    }

    @Test func `problems say what the status requires`() async throws {
        try await TestServer.run(rateLimits: RateLimits(readPerMinute: 1)) { server in
            let status = "/api/iap/apple/status"
            let missing = try await server.send("GET", status, token: nil)
            #expect(missing.headers.first(name: "www-authenticate") == "Bearer realm=\"gatepass\"")
            let invalid = try await server.send("GET", status, token: "a.b.c")
            #expect(invalid.headers.first(name: "www-authenticate")?.contains("error=\"invalid_token\"") == true)
            let wrong = try await server.send("DELETE", status)
            #expect(wrong.headers.first(name: "allow") == "GET, HEAD, OPTIONS")
            #expect(try await server.send("GET", status).status == 200)
            let limited = try await server.send("GET", status)
            #expect(limited.status == 429)
            #expect(limited.headers.first(name: "retry-after") == "60")
            #expect(limited.headers["ratelimit"] == [#""read";r=0;t=60"#])
            #expect(limited.headers["ratelimit-policy"] == [#""read";q=1;w=60"#])
        }
        try await TestServer.run(isOpen: false) { server in
            let away = try await server.send("GET", "/api/iap/apple/status", token: Fixture.token(of: "u2"))
            #expect(away.status == 503 && away.code == "unavailable")
            #expect(away.headers.first(name: "retry-after") == "1")
        }
    }

    @Test func `what needs no sign-in has a rate for each network and route, and no user's is touched`() async throws {
        try await TestServer.run(rateLimits: RateLimits(readPerMinute: 2)) { server in
            func send(_ path: String, from network: String?) async throws -> TestServer.Answer {
                try await server.send("GET", path, fields: network.map { [("X-Forwarded-For", $0)] } ?? [])
            }
            let open = ["/livez", "/readyz", "/openapi.yaml", "/.well-known/jwks.json", "/api/iap/apple/products"]
            for path in open {
                for _ in 0..<2 { #expect(try await send(path, from: "one").status == 200) }
                let limited = try await send(path, from: "one")
                #expect(limited.status == 429 && limited.code == "rate_limited", "\(path): \(limited.body)")
                #expect(limited.headers.first(name: "retry-after") == "30")
                #expect(limited.headers["ratelimit-policy"] == [#""open";q=2;w=60"#])
            }
            // Nobody else is held up; what is judged before the rate still is.
            #expect(try await send("/readyz", from: "elsewhere").status == 200)
            #expect(try await send("/livez", from: nil).status == 200)
            #expect(try await send("/nowhere", from: "one").status == 404)
            #expect(try await server.send("POST", "/livez", fields: [("X-Forwarded-For", "one")]).status == 405)
            #expect(try await send("/api/iap/apple/status", from: "one").status == 200)
            server.clock.now = server.clock.now + 30_000
            #expect(try await send("/livez", from: "one").status == 200)
        }
    }

    @Test func `every answer under a rate tells what is left of it, and no other answer does`() async throws {
        try await TestServer.run(rateLimits: RateLimits(attachPerMinute: 3, readPerMinute: 60)) { server in
            func expect(
                _ status: Int, _ left: String?, _ policy: String?, _ method: String, _ path: String,
                _ body: String? = nil, token: String? = Fixture.token(of: "u1"), fields: [(String, String)] = [],
                line: Int = #line
            ) async throws {
                let answer = try await server.send(method, path, body, token: token, fields: fields)
                #expect(answer.status == status, "line \(line): \(answer.body)")
                #expect(answer.headers["RateLimit"] == (left.map { [$0] } ?? []), "line \(line)")
                #expect(answer.headers["RateLimit-Policy"] == (policy.map { [$0] } ?? []), "line \(line)")
            }
            let (status, read) = ("/api/iap/apple/status", #""read";q=60;w=60"#)
            let first = try await server.send("GET", status)
            #expect(first.headers["RateLimit"] == [#""read";r=59;t=1"#])
            let tag = first.headers.first(name: "ETag") ?? ""
            try await expect(304, #""read";r=58;t=1"#, read, "GET", status, fields: [("If-None-Match", tag)])
            try await expect(200, #""read";r=57;t=1"#, read, "HEAD", status)
            try await expect(400, #""read";r=56;t=1"#, read, "GET", status + "?at=never")
            let attach = #""attach";q=3;w=60"#
            try await expect(400, #""attach";r=2;t=20"#, attach, "POST", Self.attach, "{}")
            let text = [("Content-Type", "text/plain")]
            try await expect(415, #""attach";r=1;t=20"#, attach, "POST", Self.attach, "{}", fields: text)
            try await expect(422, #""attach";r=0;t=20"#, attach, "POST", Self.attach, #"{"signedTransactionJWS":"x"}"#)
            try await expect(429, #""attach";r=0;t=20"#, attach, "POST", Self.attach, "{}")
            try await expect(200, #""open";r=59;t=1"#, #""open";q=60;w=60"#, "GET", "/livez", token: nil)
            // What is judged before the rate, and servers, which have none.
            try await expect(401, nil, nil, "GET", status, token: nil)
            try await expect(404, nil, nil, "GET", "/nowhere")
            try await expect(405, nil, nil, "DELETE", status)
            try await expect(204, nil, nil, "OPTIONS", status)
            try await expect(200, nil, nil, "GET", "/api/admin/users/u1/status", token: Fixture.apiKey(.read))
        }
        try await TestServer.run(rateLimits: RateLimits(readPerMinute: 0)) { server in
            let unbounded = try await server.send("GET", "/livez")
            #expect(unbounded.status == 200 && unbounded.headers["RateLimit"].isEmpty)
        }
    }

    @Test func `every answer carries its request id`() async throws {
        try await TestServer.run { server in
            for (given, expected) in [
                ("abc-1._Z", "abc-1._Z"), ("", "made-here"), ("a b", "made-here"), ("é", "made-here"),
                (String(repeating: "a", count: 64), String(repeating: "a", count: 64)),
                (String(repeating: "a", count: 65), "made-here"),
            ] {
                for path in ["/livez", "/nowhere"] {
                    let answer = try await server.send("GET", path, fields: [("X-Request-Id", given)])
                    #expect(answer.headers.first(name: "x-request-id") == expected)
                    if path == "/nowhere" { #expect(try answer.json["request_id"]?.string == expected) }
                }
            }
        }
    }

    @Test func `the log has one line for each request and no secrets`() async throws {
        try await TestServer.run { server in
            let path = "/api/iap/apple/status?at=canary"
            _ = try await server.send("GET", path)
            _ = try await server.send("POST", Self.attach, #"{"signedTransactionJWS":"canary"}"#)
            let lines = server.log.lines.filter { $0.contains("\"method\"") }
            #expect(lines.count == 2)
            #expect(
                lines.first?.contains(#""route":"/api/iap/apple/status","status":400"#) == true)
            #expect(lines.first?.contains(#""code":"invalid_request"}"#) == true)
            #expect(lines.last?.contains(#""code":"evidence_invalid","reason":"malformed"}"#) == true)
            #expect(!server.log.lines.contains { $0.contains("canary") || $0.contains(Fixture.token(of: "u1")) })
        }
    }

    @Test func `head and options answer for every path`() async throws {
        let token = Fixture.token(of: "u1")
        try await TestServer.run(metricsPage: MetricsPage(token: Array(token.utf8)) { [] }) { server in
            try await server.sell("pass.30d", as: "p1", .pass, to: "u1")
            for endpoint in Routes.all where !endpoint.isInDevelopmentOnly {
                let path = Self.parameters.reduce(endpoint.path) { $0.replacing($1.key, with: $1.value) }
                let options = try await server.send("OPTIONS", path, token: nil)
                #expect(options.status == 204 && options.body.isEmpty)
                let allowed = options.headers.first(name: "allow")?.split(separator: ", ").map(String.init) ?? []
                #expect(allowed.contains(endpoint.method.rawValue) && allowed.last == "OPTIONS", "\(path)")
                let isReadable = Routes.all.contains { $0.path == endpoint.path && $0.method == .get }
                #expect(allowed.contains("HEAD") == isReadable, "\(path)")
                let isAdmin = path.hasPrefix("/api/admin/")
                let head = try await server.send(
                    "HEAD", path + (Self.queries[endpoint.path] ?? ""),
                    token: isAdmin ? Fixture.apiKey(.admin) : token)
                #expect(head.status == (isReadable ? 200 : 405), "\(path)")
                #expect(head.body.isEmpty)
            }
            #expect(try await server.send("OPTIONS", "/nowhere", token: nil).status == 404)
        }
    }
}

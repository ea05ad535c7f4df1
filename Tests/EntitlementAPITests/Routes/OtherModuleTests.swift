import AppStore
import LedgerStore
import NIOCore
import NIOHTTP1
import StrictJSON
import Support
import Testing

@testable import EntitlementAPI

/// What another module declares is served behind the same envelope as the routes of this one.
struct OtherModuleTests {
    private static let webhook = "/other/webhook"
    private static let csp =
        "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; "
        + "frame-ancestors 'none'"

    private static func head(_ line: String, _ fields: [String] = []) -> String {
        ([line + " HTTP/1.1", "Host: x"] + fields).joined(separator: "\r\n") + "\r\n\r\n"
    }

    private static func chunked(_ bytes: Int) -> [String] {
        let half = bytes / 2
        return [half, bytes - half].map { String($0, radix: 16) + "\r\n" + String(repeating: "x", count: $0) + "\r\n" }
            + ["0\r\n\r\n"]
    }

    private static func code(_ answer: String) -> String? {
        answer.split(separator: #""code":""#).dropFirst().first?.split(separator: "\"").first.map(String.init)
    }

    @Test func `a webhook reads any bytes of any type without a sign-in, and its own problems are problems`()
        async throws
    {
        try await TestServer.run(adding: OtherModule.endpoints) { server in
            for body in ["", "{", "\u{0}\u{1F}not json", "{\"a\":1,\"a\":2}"] {
                for type in ["text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin1"] {
                    let answer = try await server.send(
                        "POST", Self.webhook, body, token: nil,
                        fields: [("Content-Type", type), ("Content-Encoding", "x"), ("X-Request-Id", "delivery-1")])
                    #expect(answer.status == 200 && answer.body == body)
                    #expect(answer.headers["x-request-id"] == ["delivery-1"])
                    #expect(answer.headers["x-content-type-options"] == ["nosniff"])
                }
            }
            let forged = try await server.send("POST", Self.webhook, "forged", token: nil)
            #expect(forged.status == 400 && forged.code == "invalid_request")
            #expect(try forged.json["request_id"]?.string == "made-here")
            #expect(forged.headers["content-type"] == ["application/problem+json"])
        }
    }

    @Test func `a body has the limit of its endpoint, larger or smaller than the others', declared or not`()
        async throws
    {
        try await TestServer.run(adding: OtherModule.endpoints) { server in
            for (path, limit) in [(Self.webhook, OtherModule.webhookLimit), ("/other/small", 10)] {
                let line = "POST \(path)"
                let full = String(repeating: "x", count: limit)
                #expect(try await server.send("POST", path, full, token: nil).body == full)
                let whole = [Self.head(line, ["Transfer-Encoding: chunked", "Connection: close"])]
                let (taken, _) = try await RawExchange.send(
                    whole + Self.chunked(limit), to: server.port)
                #expect(taken.hasPrefix("HTTP/1.1 200 ") && taken.hasSuffix(full))
                let unread = [Self.head(line, ["Content-Length: \(limit + 1)", "Expect: 100-continue"])]
                let endless = [Self.head(line, ["Transfer-Encoding: chunked"])] + Self.chunked(limit + 1)
                for pieces in [unread, endless] {
                    let (answer, isClosed) = try await RawExchange.send(
                        pieces, to: server.port)
                    #expect(isClosed && answer.hasPrefix("HTTP/1.1 413 "), "\(path): \(answer)")
                    #expect(Self.code(answer) == "payload_too_large")
                    #expect(answer.contains("The body may have \(limit) bytes."))
                }
                let asked = Self.head(line, ["Content-Length: \(limit)", "Expect: 100-continue"])
                let (welcome, _) = try await RawExchange.send([asked], to: server.port, patience: .seconds(3))
                #expect(welcome == "HTTP/1.1 100 Continue\r\n\r\n")
            }
        }
    }

    @Test func `a body that drips is refused once the time is over, and the line in the log has the route and the id`()
        async throws
    {
        var limits = ServerLimits()
        limits.requestSeconds = 1
        try await TestServer.run(limits: limits, adding: OtherModule.endpoints) { server in
            let head = Self.head("POST \(Self.webhook)", ["Content-Length: 1000", "X-Request-Id: drip"])
            let (answer, isClosed) = try await RawExchange.send(
                [head, "a", "b", "c"], to: server.port, pause: .milliseconds(300))
            #expect(isClosed && answer.hasPrefix("HTTP/1.1 503 ") && Self.code(answer) == "unavailable", "\(answer)")
            #expect(answer.contains(#""request_id":"drip""#))
            while server.log.lines.isEmpty { try await Task.sleep(for: .milliseconds(20)) }
            #expect(
                server.log.take() == [
                    #"{"method":"POST","route":"/other/webhook","status":400,"duration_ms":0.0,"request_id":"drip","#
                        + #""code":"body_incomplete"}"#
                ])
        }
    }

    @Test func `an endpoint has its own time, whatever its method and its path's parameters`() async throws {
        try await TestServer.run(adding: OtherModule.endpoints) { server in
            for method in ["GET", "HEAD"] {
                let (late, isClosed) = try await RawExchange.send(
                    [Self.head("\(method) /other/slow/3")], to: server.port)
                #expect(isClosed && late.hasPrefix("HTTP/1.1 503 "), "\(late)")
            }
            #expect(try await server.send("GET", "/other/patient/2").body == "waited")
        }
    }

    @Test func `a page is HTML that nobody keeps, that runs nothing and loads nothing from elsewhere`() async throws {
        try await TestServer.run(adding: OtherModule.endpoints) { server in
            let text = "<!doctype html><title>Other</title>"
            for method in ["GET", "HEAD"] {
                let page = try await server.send(method, "/other/page", token: nil)
                #expect(page.status == 200 && page.body == (method == "GET" ? text : ""))
                #expect(page.headers["content-type"] == ["text/html; charset=utf-8"])
                #expect(page.headers["content-length"] == ["\(text.utf8.count)"])
                #expect(page.headers["cache-control"] == ["no-store"])
                #expect(page.headers["content-security-policy"] == [Self.csp])
                #expect(page.headers["x-content-type-options"] == ["nosniff"])
                #expect(page.headers["x-request-id"] == ["made-here"])
            }
        }
    }

    @Test func `methods are told, and others refused`() async throws {
        try await TestServer.run(adding: OtherModule.endpoints, isInDevelopment: true) { server in
            for (path, method, allowed) in [
                (Self.webhook, "GET", "POST, OPTIONS"), ("/other/page", "POST", "GET, HEAD, OPTIONS"),
                ("/other/tools/x", "PUT", "GET, POST, HEAD, OPTIONS"),
            ] {
                let refused = try await server.send(method, path, token: nil)
                #expect(refused.status == 405 && refused.code == "method_not_allowed")
                #expect(refused.headers["allow"] == [allowed])
                let options = try await server.send("OPTIONS", path, token: nil)
                #expect(options.status == 204 && options.headers["allow"] == [allowed])
            }
        }
    }

    @Test func `what is in development only is an unknown path in production, to everybody and in the log`()
        async throws
    {
        let large = String(repeating: "x", count: Endpoint.bodyLimit + 1)
        for isInDevelopment in [true, false] {
            try await TestServer.run(adding: OtherModule.endpoints, isInDevelopment: isInDevelopment) { server in
                for (method, body, status) in [
                    ("GET", nil, 200), ("HEAD", nil, 200), ("OPTIONS", nil, 204), ("POST", "x", 200),
                    ("POST", large, 200), ("DELETE", nil, 405),
                ] {
                    let tool = try await server.send(method, "/other/tools/x", body, token: nil)
                    let line = server.log.take()
                    guard !isInDevelopment else {
                        #expect(tool.status == status, "\(method)")
                        continue
                    }
                    let unknown = try await server.send(method, "/other/nowhere/x", body, token: nil)
                    #expect(tool.status == (body == large ? 413 : 404))
                    #expect(tool.status == unknown.status && tool.body == unknown.body, "\(method)")
                    #expect(
                        tool.headers.filter { $0.name != "Date" }.map(\.value)
                            == unknown.headers.filter { $0.name != "Date" }.map(\.value))
                    #expect(
                        line == server.log.take() && line.count == 1 && line[0].contains(#""route":"-""#), "\(line)")
                    if body == nil, method != "HEAD" { #expect(tool.code == "not_found") }
                }
            }
        }
    }

    @Test func `sign-in, scope and rate come before another module's route as before ours; a webhook has no rate`()
        async throws
    {
        try await TestServer.run(rateLimits: RateLimits(readPerMinute: 1), adding: OtherModule.endpoints) { server in
            for (path, wrong, right, body) in [
                ("/other/mine", nil, Fixture.token(of: "anna"), "anna"),
                ("/other/servers", Fixture.token(of: "anna"), Fixture.apiKey(.admin), "admin"),
            ] {
                let refused = try await server.send("GET", path, token: wrong)
                #expect(refused.status == 401 && refused.code == "unauthenticated")
                let answer = try await server.send("GET", path, token: right)
                #expect(answer.status == 200 && answer.body == body)
            }
            let reader = try await server.send("GET", "/other/servers", token: Fixture.apiKey(.read))
            #expect(reader.status == 403 && reader.code == "forbidden")
            #expect(try await server.send("GET", "/other/mine", token: Fixture.token(of: "anna")).status == 429)
            #expect(try await server.send("GET", "/other/page").status == 200)
            #expect(try await server.send("GET", "/other/page").code == "rate_limited")
            for _ in 0..<3 { #expect(try await server.send("POST", Self.webhook, "x").status == 200) }
        }
    }

    @Test func `each request has its line in the log, with the route as declared and the id of its answer`()
        async throws
    {
        try await TestServer.run(adding: OtherModule.endpoints, isInDevelopment: true) { server in
            for (method, path, route, status) in [
                ("POST", Self.webhook, Self.webhook, 200), ("GET", "/other/page", "/other/page", 200),
                ("GET", "/other/tools/secret?q=canary", "/other/tools/{name}", 200),
                ("GET", "/other/mine", "/other/mine", 401),
            ] {
                let code = status == 401 ? #","code":"unauthenticated""# : ""
                _ = try await server.send(method, path, token: nil, fields: [("X-Request-Id", "r-7")])
                let line =
                    #"{"method":"\#(method)","route":"\#(route)","status":\#(status),"duration_ms":0.0,"#
                    + #""request_id":"r-7"\#(code)}"#
                #expect(server.log.take() == [line])
            }
        }
    }
}

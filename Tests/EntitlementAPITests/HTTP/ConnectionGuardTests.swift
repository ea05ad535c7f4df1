import NIOCore
import Support
import Synchronization
import Testing

@testable import EntitlementAPI

struct ConnectionGuardTests {
    private static let attach = "/api/iap/apple/transactions/attach"

    private static func request(_ line: String, _ fields: [String] = [], _ body: String = "") -> String {
        ([line, "Host: x"] + fields).joined(separator: "\r\n") + "\r\n\r\n" + body
    }

    private static func answers(in text: String) -> Int {
        text.split(separator: "HTTP/1.1 ", omittingEmptySubsequences: false).count - 1
    }

    @Test func `what is not HTTP is answered once with a problem`() async throws {
        try await TestServer.run { server in
            for text in [
                "nonsense\r\n\r\n", "GET /livez HTTP/9.9\r\n\r\n", "GET /livez\r\n\r\n",
                Self.request("POST /livez HTTP/1.1", ["Content-Length: 3", "Transfer-Encoding: chunked"], "abc"),
                Self.request("POST /livez HTTP/1.1", ["Content-Length: 3", "Content-Length: 4"], "abc"),
                Self.request("POST /livez HTTP/1.1", ["Content-Length: -1"]),
                Self.request("POST /livez HTTP/1.1", ["Content-Length: 0x3"], "abc"),
                Self.request("GET /livez HTTP/1.1", ["A : b"]), Self.request("GET /livez HTTP/1.1", ["A: \u{0}"]),
                Self.request("GE T /livez HTTP/1.1"),
                "GET /livez HTTP/1.1\r\n\r\n", "GET /livez HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n",
                "GET /livez HTTP/1.0\r\nHost: x\r\nHost: y\r\n\r\n",
                Self.request("POST /livez HTTP/1.1", ["Transfer-Encoding: gzip, chunked"], "0\r\n\r\n"),
                Self.request("POST /livez HTTP/1.1", ["Transfer-Encoding: gzip"], "abc"),
                Self.request("POST /livez HTTP/1.1", ["Transfer-Encoding: chunked, gzip"], "0\r\n\r\n"),
                Self.request("POST /livez HTTP/1.1", ["Transfer-Encoding: identity"], "abc"),
                Self.request("POST /livez HTTP/1.1", ["Transfer-Encoding: chunked, chunked"], "0\r\n\r\n"),
                Self.request(
                    "POST /livez HTTP/1.1", ["Transfer-Encoding: gzip", "Transfer-Encoding: chunked"], "0\r\n\r\n"),
                Self.request("POST /livez HTTP/1.0", ["Transfer-Encoding: chunked"], "0\r\n\r\n"),
            ] {
                let (answer, isClosed) = try await RawExchange.send([text], to: server.port)
                #expect(isClosed && Self.answers(in: answer) == 1, "\(text) → \(answer)")
                #expect(
                    answer.hasPrefix("HTTP/1.1 400 ") && answer.contains(#""code":"invalid_request""#),
                    "\(text) → \(answer)")
                #expect(answer.contains("\r\nContent-Language: en\r\n"), "\(answer)")
            }
        }
    }

    @Test func `a client of HTTP 1.0 is answered and closed`() async throws {
        try await TestServer.run { server in
            let once = Self.request("GET /livez HTTP/1.0")
            let (answer, isClosed) = try await RawExchange.send([once], to: server.port)
            #expect(isClosed && Self.answers(in: answer) == 1, "\(answer)")
            #expect(answer.hasPrefix("HTTP/1.1 200 ") && answer.lowercased().contains("connection: close"))
            let kept = Self.request("GET /livez HTTP/1.0", ["Connection: keep-alive"])
            #expect(try await !RawExchange.send([kept], to: server.port, patience: .seconds(1)).isClosed)
        }
    }

    @Test func `a host is named once, and of HTTP/1.0 need not be`() async throws {
        try await TestServer.run { server in
            for text in [
                "GET /livez HTTP/1.0\r\n\r\n", "GET /livez HTTP/1.1\r\nhOST:\r\nConnection: close\r\n\r\n",
                Self.request(
                    "GET /livez HTTP/1.1", ["Transfer-Encoding: Chunked", "Connection: close"],
                    "1\r\na\r\n0\r\n\r\n"),
            ] {
                let (answer, isClosed) = try await RawExchange.send([text], to: server.port)
                #expect(isClosed && answer.hasPrefix("HTTP/1.1 200 "), "\(text) → \(answer)")
            }
            for (text, field) in [
                ("GET /livez HTTP/1.1\r\nA: b\r\n\r\n", "Host"),
                ("GET /livez HTTP/1.1\r\nHost: a, b\r\n\r\n", "Host"),
                ("GET /livez HTTP/1.1\r\nHost: a/b\r\n\r\n", "Host"),
                (Self.request("GET /livez HTTP/1.1", ["Transfer-Encoding: x, chunked"]), "Transfer-Encoding"),
            ] {
                let (answer, _) = try await RawExchange.send([text], to: server.port)
                #expect(answer.contains(#""pointer":"\#(field)""#), "\(answer)")
            }
        }
    }

    @Test func `whoever offers another protocol is answered in this one, and the connection is closed`() async throws {
        try await TestServer.run { server in
            let offer = Self.request(
                "GET /livez HTTP/1.1", ["Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMA"])
            let (answer, isClosed) = try await RawExchange.send([offer], to: server.port)
            #expect(isClosed && answer.hasPrefix("HTTP/1.1 200 "), "\(answer)")
        }
    }

    @Test func `headers beyond the limits are refused`() async throws {
        try await TestServer.run { server in
            let long = "A: " + String(repeating: "x", count: 40_000)
            let many = (0..<200).map { "A\($0): b" }
            for fields in [[long], many] {
                let text = Self.request("GET /livez HTTP/1.1", fields)
                let (answer, isClosed) = try await RawExchange.send([text], to: server.port)
                #expect(isClosed && answer.hasPrefix("HTTP/1.1 431 "), "\(answer)")
            }
        }
    }

    @Test func `a declared length over the limit is refused unread`() async throws {
        try await TestServer.run { server in
            let head = Self.request("POST \(Self.attach) HTTP/1.1", ["Content-Length: 10000000"])
            let (answer, isClosed) = try await RawExchange.send([head], to: server.port)
            #expect(isClosed && answer.hasPrefix("HTTP/1.1 413 ") && answer.contains("payload_too_large"), "\(answer)")
            let chunk = "10000\r\n" + String(repeating: "x", count: 0x10000) + "\r\n"
            let chunked = Self.request(
                "POST \(Self.attach) HTTP/1.1",
                [
                    "Authorization: Bearer " + Fixture.token(of: "u1"), "Content-Type: application/json",
                    "Transfer-Encoding: chunked",
                ])
            let endless = [chunked] + Array(repeating: chunk, count: 8)
            let (late, isLateClosed) = try await RawExchange.send(endless, to: server.port)
            #expect(isLateClosed && (late.isEmpty || late.hasPrefix("HTTP/1.1 413 ")), "\(late)")
        }
    }

    @Test func `slow headers and bodies end the connection`() async throws {
        var limits = ServerLimits()
        limits.headerSeconds = 1
        try await TestServer.run(limits: limits) { server in
            let drip = ["GET /liv", "ez HTTP/1.1\r\n", "Host: x\r\n", "A: b\r\n", "B: c\r\n"]
            let (answer, isClosed) = try await RawExchange.send(
                drip, to: server.port, pause: .milliseconds(300))
            #expect(isClosed && answer.isEmpty, "\(answer)")
        }
    }

    @Test func `a request that takes too long is answered with 503, once`() async throws {
        var limits = ServerLimits()
        limits.requestSeconds = 1
        try await TestServer.run(limits: limits) { server in
            let head = Self.request(
                "GET /api/iap/apple/status HTTP/1.1",
                ["Authorization: Bearer " + Fixture.token(of: "u1"), "X-Request-Id: slow"])
            try await server.holdingReads {
                let (answer, isClosed) = try await RawExchange.send([head], to: server.port)
                #expect(isClosed && Self.answers(in: answer) == 1 && answer.hasPrefix("HTTP/1.1 503 "), "\(answer)")
                #expect(answer.contains(#""request_id":"slow""#) && answer.lowercased().contains("retry-after: 5"))
            }
            let body = Self.request(
                "POST \(Self.attach) HTTP/1.1",
                [
                    "Authorization: Bearer " + Fixture.token(of: "u1"), "Content-Type: application/json",
                    "Content-Length: 1000",
                ], "{")
            let (dripped, isDrippedClosed) = try await RawExchange.send(
                [body, " ", " ", " "], to: server.port, pause: .milliseconds(300))
            #expect(isDrippedClosed && dripped.hasPrefix("HTTP/1.1 503 "), "\(dripped)")
        }
    }

    @Test func `a connection serves many requests in order`() async throws {
        try await TestServer.run { server in
            let get = Self.request("GET /livez HTTP/1.1")
            let last = Self.request("GET /nowhere HTTP/1.1", ["Connection: close"])
            let (answer, isClosed) = try await RawExchange.send(
                [get + get + get + last], to: server.port)
            #expect(isClosed && Self.answers(in: answer) == 4, "\(answer)")
            #expect(answer.split(separator: "\"alive\"").count == 4)
        }
    }

    @Test func `requests that were sent ahead are answered in order, also before one that cannot be read`() async throws
    {
        try await TestServer.run(rateLimits: RateLimits(readPerMinute: 0)) { server in
            let get = Self.request("GET /livez HTTP/1.1")
            let many = String(repeating: get, count: 300)
            for (last, status) in [
                (Self.request("GET /nowhere HTTP/1.1", ["Connection: close"]), 404), ("nonsense\r\n\r\n", 400),
                ("GET /livez HTTP/1.1\r\n\r\n", 400), (Self.request("GET /livez HTTP/1.1", ["A : b"]), 400),
            ] {
                let (answer, isClosed) = try await RawExchange.send(
                    [many + last], to: server.port)
                #expect(isClosed && Self.answers(in: answer) == 301, "\(last) → \(Self.answers(in: answer))")
                #expect(answer.split(separator: "\"alive\"").count == 301)
                let end = answer.split(separator: "HTTP/1.1 ").last ?? ""
                #expect(end.hasPrefix("\(status) "), "\(last) → \(end)")
            }
        }
    }

    @Test func `of whom takes no answers, few requests are taken`() async throws {
        let page = [UInt8](repeating: UInt8(ascii: "x"), count: 256 * 1024)
        try await TestServer.run(rateLimits: RateLimits(readPerMinute: 0), openAPI: page) { server in
            let ahead = String(repeating: Self.request("GET /openapi.yaml HTTP/1.1"), count: 300)
            try await RawExchange.sendWithoutReading(ahead, connections: 20, to: server.port) {
                var (before, taken) = (-1, 0)
                while taken < 20 || before != taken {
                    try await Task.sleep(for: .milliseconds(500))
                    (before, taken) = (taken, server.log.lines.count { $0.contains("/openapi.yaml") })
                }
                // Some lie in the buffers of the network.
                #expect((20..<20 * 20).contains(taken), "\(taken)")
            }
        }
    }

    @Test func `a body in chunks is asked for where the client waits to be asked`() async throws {
        try await TestServer.run { server in
            let head = Self.request(
                "POST \(Self.attach) HTTP/1.1",
                [
                    "Authorization: Bearer " + Fixture.token(of: "u1"), "Content-Type: application/json",
                    "Transfer-Encoding: chunked", "Expect: 100-Continue", "Connection: close",
                ])
            let (asked, _) = try await RawExchange.send([head], to: server.port, patience: .seconds(3))
            #expect(asked == "HTTP/1.1 100 Continue\r\n\r\n", "\(asked)")
            let (answer, _) = try await RawExchange.send(
                [head, "2\r\n{}\r\n0\r\n\r\n"], to: server.port, pause: .milliseconds(100))
            #expect(answer.hasPrefix("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 400 "), "\(answer)")
        }
    }

    @Test func `a 100 Continue is sent when the body is welcome`() async throws {
        try await TestServer.run { server in
            let head = Self.request(
                "POST \(Self.attach) HTTP/1.1",
                [
                    "Authorization: Bearer " + Fixture.token(of: "u1"), "Content-Type: application/json",
                    "Content-Length: 2", "Expect: 100-continue", "Connection: close",
                ])
            let (answer, _) = try await RawExchange.send(
                [head, "{}"], to: server.port, pause: .milliseconds(100))
            #expect(answer.hasPrefix("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 400 "), "\(answer)")
        }
    }
}

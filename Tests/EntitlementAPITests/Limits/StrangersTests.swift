import Entitlements
import HTTPTypes
import Logging
import NIOCore
import NIOHTTP1
import Synchronization
import Support
import Testing

@testable import EntitlementAPI

/// What senders may cost who are not known (`threats.md` T38, T39).
struct StrangersTests {
    private static let webhook = "/other/webhook"

    private static func head(_ path: String, _ fields: [String]) -> String {
        (["POST \(path) HTTP/1.1", "Host: x"] + fields).joined(separator: "\r\n") + "\r\n\r\n"
    }

    private static func rates(_ refused: Int) -> RateLimits {
        var limits = RateLimits()
        limits.refusedDeliveriesPerMinute = refused
        return limits
    }

    @Test func `a card event whose header shows no signature is refused before its body is read`() async throws {
        try await TestServer.run { server in
            for (field, reason) in [
                ("X-Other: 1", "header_missing"), ("Stripe-Signature: v1=00", "header_malformed"),
                ("Stripe-Signature: t=1,v0=00", "signature_missing"),
            ] {
                let head = Self.head("/api/billing/webhooks/stripe", ["Content-Length: 1000000", field])
                let (answer, isClosed) = try await RawExchange.send([head], to: server.port)
                #expect(isClosed && answer.hasPrefix("HTTP/1.1 400 "), "\(answer)")
                #expect(answer.contains(#""reason":"\#(reason)""#), "\(answer)")
            }
        }
    }

    @Test func `a network whose deliveries are refused too often is told so unread, genuine or not, and no other`()
        async throws
    {
        try await TestServer.run(rateLimits: Self.rates(3), adding: OtherModule.endpoints) { server in
            func send(_ body: String, from network: String, _ path: String = Self.webhook) async throws
                -> TestServer.Answer
            {
                try await server.send("POST", path, body, token: nil, fields: [("X-Forwarded-For", network)])
            }
            for _ in 0..<20 { #expect(try await send("genuine", from: "abcd").status == 200) }
            for left in [2, 1, 0] {
                let refused = try await send("forged", from: "abcd")
                #expect(refused.status == 400)
                #expect(refused.headers["RateLimit"] == [#""refused_delivery";r=\#(left);t=20"#])
            }
            let head = Self.head(Self.webhook, ["Content-Length: 100000", "X-Forwarded-For: abcd"])
            let (answer, isClosed) = try await RawExchange.send([head], to: server.port)
            #expect(isClosed && answer.hasPrefix("HTTP/1.1 429 "), "\(answer)")
            #expect(answer.lowercased().contains("retry-after: 20"), "\(answer)")
            #expect(answer.contains(#""code":"rate_limited""#), "\(answer)")
            #expect(try await send("genuine", from: "abcd").status == 429)
            #expect(try await send("genuine", from: "efgh").status == 200)
            #expect(try await send("genuine", from: "abcd", "/other/small").status == 200)
            server.clock.now = server.clock.now + 20_000
            #expect(try await send("genuine", from: "abcd").status == 200)
            #expect(try await send("forged", from: "abcd").status == 400)
            #expect(try await send("genuine", from: "abcd").status == 429)
        }
    }

    @Test func `faults of the server and its being busy count for no network`() {
        let refused = RefusedDeliveries(RateLimiter(Self.rates(1)), logger: Logger(label: "test"))
        for problem in [Problem.unavailable("", retryAfterSeconds: 1), Problem(.rateLimited, ""), .unexpected] {
            refused.note(problem, from: [1], to: "/", at: Fixture.now)
        }
        #expect(throws: Never.self) { try refused.admit(from: [1], to: "/", at: Fixture.now) }
        refused.note(.notFound, from: [1], to: "/", at: Fixture.now)
        #expect(throws: Problem.self) { try refused.admit(from: [1], to: "/", at: Fixture.now) }
    }

    @Test func `the log names a network that sends both, once in ten minutes, and none that sends one kind`() {
        let log = TestLog()
        let refused = RefusedDeliveries(RateLimiter(Self.rates(2)), logger: Logger(label: "test") { _ in log })
        func forge(_ network: [UInt8], minutes: Int64 = 0) {
            refused.note(.notFound, from: network, to: "/hook", at: Fixture.now + minutes * 60_000)
        }
        let (proxy, store, stranger): ([UInt8], [UInt8], [UInt8]) = (
            [192, 0, 2, 7], [0x20, 1, 0xd, 0xb8, 0, 0, 0, 1], [1, 2, 3, 4]
        )
        for network in [proxy, store] { refused.noteGenuine(from: network, at: Fixture.now) }
        for _ in 0..<100 { forge(stranger) }
        #expect(log.lines == [])
        for _ in 0..<100 { forge(proxy) }
        for minutes in [0, 9, 10, 19] as [Int64] { forge(store, minutes: minutes) }
        let warning = "warning a network sends genuine deliveries and others that are refused: see http.trusted_proxies"
        #expect(
            log.lines == [
                warning + " network=192.0.2.7 route=/hook", warning + " network=2001:db8:0:1::/64 route=/hook",
                warning + " network=2001:db8:0:1::/64 route=/hook",
            ])
    }

    @Test func `bodies are counted for all and for each network, and what ended is counted no longer`() throws {
        let bodies = BodiesInFlight()
        let mebibyte = 1 << 20
        for _ in 0..<16 { try bodies.take(mebibyte, from: [1]) }
        let code = { (network: UInt8, count: Int) -> ProblemCode? in
            do throws(Problem) {
                try bodies.take(count, from: [network])
                return nil
            } catch {
                #expect(error.closesConnection && error.fields[.retryAfter] == "5")
                return error.code
            }
        }
        #expect(code(1, 1) == .rateLimited)
        for network: UInt8 in 2...4 { #expect(code(network, 16 * mebibyte) == nil) }
        #expect(code(5, 1) == .unavailable)
        bodies.give(mebibyte, from: [1])
        #expect(code(5, mebibyte) == nil && code(5, 1) == .unavailable)
        #expect(bodies.takePeak() == 64 * mebibyte && bodies.takePeak() == 64 * mebibyte)
        for network: UInt8 in 2...4 { bodies.give(16 * mebibyte, from: [network]) }
        #expect(code(5, 15 * mebibyte) == nil && code(5, 1) == .rateLimited)
        _ = bodies.takePeak()
        #expect(bodies.takePeak() == 31 * mebibyte)
    }

    @Test func `stalled bodies fill what their network may have, and nobody else's`() async throws {
        // Bodies that break off are refused too; here they are not to count.
        try await TestServer.run(rateLimits: Self.rates(0), adding: OtherModule.endpoints) { server in
            let fields = ["Content-Length: 262144", "X-Forwarded-For: stalling"]
            let stalled = Self.head(Self.webhook, fields) + String(repeating: "x", count: 262_143)
            // Twice as many as the network may have, so that some are left if others end in time.
            try await RawExchange.sendWithoutReading(stalled, connections: 128, to: server.port) {
                var answer = ""
                for _ in 1...100 where !answer.hasPrefix("HTTP/1.1 429 ") {
                    (answer, _) = try await RawExchange.send(
                        [stalled], to: server.port, patience: .milliseconds(500))
                }
                #expect(answer.hasPrefix("HTTP/1.1 429 "), "\(answer)")
                #expect(answer.lowercased().contains("retry-after: 5") && answer.contains("rate_limited"))
                let other = try await server.send("POST", Self.webhook, "genuine", token: nil)
                #expect(other.status == 200)
                let mine = try await server.send("POST", "/api/iap/apple/transactions/attach", "{}")
                #expect(mine.status == 400, "\(mine.body)")
            }
            var status = 429
            for _ in 1...1_000 where status == 429 {
                status = try await server.send(
                    "POST", Self.webhook, "genuine", token: nil, fields: [("X-Forwarded-For", "stalling")]
                ).status
            }
            #expect(status == 200)
        }
    }
}

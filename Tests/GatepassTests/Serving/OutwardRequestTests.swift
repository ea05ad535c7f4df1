import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import Support
import Testing

@testable import Gatepass

/// What others answer whom this server asks (`threats.md` T33).
@Suite struct OutwardRequestTests {
    /// Sends whoever asks for `/redirect` to `/elsewhere`, and says more at `/long` than anybody should read.
    private static func receiver() throws -> StoreReceiver {
        try StoreReceiver { request, _ in
            if request.line.contains("/redirect") { return .init(307, "{}", fields: ["Location": "/elsewhere"]) }
            if request.line.contains("/long") { return .init(200, String(repeating: "x", count: 1 << 20)) }
            return .init(200, #"{"keys":[]}"#)
        }
    }

    @Test func `a question about a certificate goes nowhere else, and a long answer is none`() async throws {
        let receiver = try Self.receiver()
        defer { receiver.stop() }
        let client = HTTPClient.outward()
        let questions = OCSPQuestions(client: client)
        let address = "http://127.0.0.1:\(receiver.port)"
        let answer = try await questions.post([1], to: address + "/plain")
        #expect(answer == Array(#"{"keys":[]}"#.utf8))
        for path in ["/redirect", "/long"] {
            await #expect(throws: (any Error).self) { _ = try await questions.post([1], to: address + path) }
        }
        #expect(!receiver.requests.contains { $0.line.contains("/elsewhere") })
        try await client.shutdown()
    }

    @Test(arguments: StoreReceiver.Pace.allCases.filter { $0 != .whole })
    func `an answer has one deadline, wherever it stalls, and the next one may come`(
        pace: StoreReceiver.Pace
    ) async throws {
        let receiver = try StoreReceiver { request, _ in
            .init(200, "{}", at: request.line.contains("/stalled") ? pace : .whole)
        }
        defer { receiver.stop() }
        let client = HTTPClient.outward()
        let address = "http://127.0.0.1:\(receiver.port)"
        await #expect(throws: HTTPClientError.deadlineExceeded) {
            try await client.exchange(
                HTTPClientRequest(url: address + "/stalled"), within: .milliseconds(200), upTo: 10)
        }
        let next = try await client.exchange(HTTPClientRequest(url: address + "/next"), within: .seconds(30), upTo: 10)
        #expect(next.head.status == .ok && next.body == ByteBuffer(string: "{}"))
        try await client.shutdown()
    }

    @Test func `a server that accepts a connection and does not speak TLS has the same deadline`() async throws {
        let receiver = try StoreReceiver { _, _ in .init(200, "{}") }
        defer { receiver.stop() }
        let client = HTTPClient.outward()
        let request = HTTPClientRequest(url: "https://127.0.0.1:\(receiver.port)/")
        await #expect(throws: HTTPClientError.deadlineExceeded) {
            try await client.exchange(request, within: .milliseconds(200), upTo: 10)
        }
        #expect(receiver.requests.isEmpty)
        try await client.shutdown()
    }

    @Test func `a login that sends elsewhere gives no keys, so its tokens open nothing`() async throws {
        let receiver = try Self.receiver()
        defer { receiver.stop() }
        let server = try await EndToEndServer.start([
            "GATEPASS_AUTH_HS256_SECRET": "",
            "GATEPASS_AUTH_JWKS_URL": "http://127.0.0.1:\(receiver.port)/redirect",
        ])
        let header = "eyJhbGciOiJFUzI1NiIsImtpZCI6ImEifQ"  // {"alg":"ES256","kid":"a"}
        let answer = try await server.send(
            "GET", EndToEndServer.statusPath, fields: [("Authorization", "Bearer \(header).e30.AAAA")])
        #expect(answer.status == 503, "\(answer.text)")
        #expect(server.log.contains(#""message":"the login's keys cannot be fetched""#), "\(server.log)")
        #expect(server.log.contains("/redirect: 307 Temporary Redirect"), "\(server.log)")
        let asked = receiver.requests.map(\.line)
        #expect(!asked.isEmpty && asked.allSatisfy { $0.hasPrefix("GET /redirect") }, "\(asked)")
        #expect(try await server.end() == 0)
    }
}

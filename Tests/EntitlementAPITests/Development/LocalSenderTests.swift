import HTTPTypes
import Testing

@testable import EntitlementAPI

/// The controls of a development server are for programs of its machine, whatever name a page gives to it.
struct LocalSenderTests {
    private static func answer(
        _ endpoint: Endpoint, _ fields: [String], at server: TestServer
    ) async throws -> String {
        let path = endpoint.path.replacing("{environment}", with: "sandbox").replacing("{transaction_id}", with: "1")
            .replacing("{order_id}", with: "M1").replacing("{token}", with: "x")
        let head = ["\(endpoint.method.rawValue) \(path) HTTP/1.1", "Connection: close", "Content-Length: 0"]
        let text = (head + fields).joined(separator: "\r\n") + "\r\n\r\n"
        return try await RawExchange.send([text], to: server.port).text
    }

    private static func isRefused(_ answer: String, at field: String) -> Bool {
        answer.hasPrefix("HTTP/1.1 400 ") && answer.contains(#""pointer":"\#(field)""#)
    }

    @Test func `every control answers to this machine's names alone, and to no page of another server`() async throws {
        try await TestServer.run(isInDevelopment: true) { server in
            for endpoint in Routes.development {
                for host in [
                    "evil.example", "evil.example:8080", "localhost.evil.example", "127.0.0.1.evil.example:80",
                    "127.0.0.2", "localhost:x", "localhost:80:80", "[::1]x", "[::2]", "[::1", "x@localhost", "",
                ] {
                    let answer = try await Self.answer(endpoint, ["Host: \(host)"], at: server)
                    #expect(Self.isRefused(answer, at: "Host"), "\(endpoint.name) \(host): \(answer)")
                }
                for origin in [
                    "http://evil.example", "null", "http://localhost:3000", "https://localhost:8080", "localhost:8080",
                    "http://localhost", "http://127.0.0.1:8080", "",
                ] {
                    let fields = ["Host: localhost:8080", "Origin: \(origin)"]
                    let answer = try await Self.answer(endpoint, fields, at: server)
                    #expect(Self.isRefused(answer, at: "Origin"), "\(endpoint.name) \(origin): \(answer)")
                }
                for (host, origin) in [
                    ("localhost", nil), ("LocalHost:8080", "http://localhost:8080"), ("127.0.0.1:1", nil),
                    ("[::1]", nil), ("[::1]:8080", "http://[::1]:8080"),
                ] {
                    let fields = ["Host: \(host)"] + (origin.map { ["Origin: " + $0] } ?? [])
                    let answer = try await Self.answer(endpoint, fields, at: server)
                    #expect(
                        !Self.isRefused(answer, at: "Host") && !Self.isRefused(answer, at: "Origin"),
                        "\(endpoint.name) \(fields): \(answer)")
                }
            }
            let other = try await RawExchange.send(
                ["GET /livez HTTP/1.1\r\nHost: gatepass.example\r\nConnection: close\r\n\r\n"], to: server.port)
            #expect(other.text.hasPrefix("HTTP/1.1 200 "), "what is no control has any name")
        }
    }
}

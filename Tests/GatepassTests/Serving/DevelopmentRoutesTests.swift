import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import StrictJSON
import Testing

@testable import EntitlementAPI

/// What `gatepass dev` answers is nowhere at any other server.
@Suite struct DevelopmentRoutesTests {
    private static let methods = [
        "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND",
    ]

    /// Variables of a server that needs no database to answer.
    private static func variables(_ environment: String) -> [String: String] {
        [
            "GATEPASS_ENVIRONMENT": environment, "GATEPASS_DATABASE_SOCKET": "/tmp/there-is-no-socket",
            "GATEPASS_AUTH_HS256_SECRET": "a-secret-of-the-tests-with-64-bytes-0123456789-0123456789-012345",
            "GATEPASS_TOKENS_KEY_ENCRYPTION_KEY": "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=",
        ]
    }

    @Test func `the list has every route under dev and no other`() {
        #expect(Set(Routes.development.map(\.path)) == ["/dev/clock"])
        #expect(Routes.development.allSatisfy { $0.isInDevelopmentOnly })
        #expect(Set(Routes.all.filter { $0.path.hasPrefix("/dev") }.map(\.path)) == ["/dev/clock"])
        #expect(Routes.all.count { $0.isInDevelopmentOnly } == Routes.development.count)
    }

    @Test(arguments: ["production", "development"])
    func `outside gatepass dev every method of each of them is 404`(environment: String) async throws {
        let server = try ServingProcess("serve", environment: Self.variables(environment))
        defer { server.remove() }
        try #require(await server.answers("/livez", 200), "\(server.log)")
        for path in Set(Routes.development.map(\.path)) {
            for method in Self.methods {
                var request = HTTPClientRequest(url: "http://127.0.0.1:\(server.port)\(path)")
                request.method = .RAW(value: method)
                let answer = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
                let nowhere = HTTPClientRequest(url: "http://127.0.0.1:\(server.port)/nowhere")
                let other = try await HTTPClient.shared.execute(nowhere, timeout: .seconds(60))
                #expect(answer.status == .notFound, "\(method) \(path)")
                #expect(answer.headers["Allow"].isEmpty, "\(method) \(path)")
                let body = try await answer.body.collect(upTo: 1 << 16)
                let words = try await other.body.collect(upTo: 1 << 16)
                #expect(method == "HEAD" || Self.code(String(buffer: body)) == Self.code(String(buffer: words)))
            }
        }
        #expect(await server.end() == 0)
    }

    private static func code(_ body: String) -> String? { (try? JSONBody(Array(body.utf8)).value)?["code"]?.string }
}

import LedgerStore
import NIOCore
import Testing

@testable import EntitlementAPI

/// A path reaches a route in one spelling, so that a proxy before the server can refuse it by that spelling.
struct ExactPathTests {
    private static func status(
        _ target: String, _ method: String = "GET", at server: TestServer
    ) async throws -> String {
        let fields = ["Host: x", "Authorization: Bearer " + Fixture.apiKey(.admin), "Connection: close"]
        let text = (["\(method) \(target) HTTP/1.1"] + fields).joined(separator: "\r\n") + "\r\n\r\n"
        return String(try await RawExchange.send([text], to: server.port).text.dropFirst(9).prefix(3))
    }

    @Test func `every other spelling of a path is not found`() async throws {
        try await TestServer.run { server in
            for path in ["/api/admin/users", "/api/admin/users?limit=1", "/livez", "/api/admin/users/u%31/status"] {
                let status = try await Self.status(path, at: server)
                #expect(status == "200", "\(path)")
            }
            for path in [
                "//api/admin/users", "/api//admin/users", "/api/admin//users", "/api/admin/users/",
                "/api/admin/users//", "///api/admin/users", "/api/admin/users/?limit=1", "/./api/admin/users",
                "/api/./admin/users", "/api/x/../admin/users", "/%61pi/admin/users", "/api/%61dmin/users",
                "/api%2Fadmin/users", "/api%2fadmin%2fusers", "/%2Fapi/admin/users", "/API/admin/users",
                "/api/Admin/users", "/api/admin/users;x", "/api/admin/users%20", "/api/admin/users%2F", "/livez/",
                "/api/admin/users//u1/status", "http://x//api/admin/users", "/", "//",
            ] {
                for method in ["GET", "POST", "OPTIONS", "HEAD"] {
                    let status = try await Self.status(path, method, at: server)
                    #expect(status == "404", "\(method) \(path)")
                }
            }
        }
    }
}

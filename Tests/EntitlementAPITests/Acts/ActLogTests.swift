import LedgerStore
import Support
import Testing

@testable import EntitlementAPI

/// The log has a line for each act of an operator, and nobody's name in it.
struct ActLogTests {
    /// Sends a request, and returns the lines about acts, or with the user's name, that it left in the log.
    private static func lines(
        _ method: String, _ path: String, _ body: String, as token: String, _ server: TestServer
    ) async throws -> [String] {
        _ = server.log.take()
        _ = try await server.send(method, path, body, token: token, fields: [("Idempotency-Key", path)])
        return server.log.take().filter { $0.hasPrefix("info act ") || $0.contains("anna") }
    }

    @Test func `each act of a server leaves a line, and a user's own act, a preview and a refusal none`() async throws {
        try await TestServer.run { server in
            let (admin, anna) = (Fixture.apiKey(.admin), "/api/admin/users/anna")
            let (reason, device) = (#"{"reason":"r"}"#, #"{"device_id":"d1"}"#)
            let grant = #"{"kind":"add_days","tier":"pro","days":3,"reason":"r","reference":"t"}"#
            for (method, path, body, action) in [
                ("PUT", anna + "/sandbox-tester", reason, "sandbox_tester.name"),
                ("POST", anna + "/grants", grant, "grant.give"), ("POST", anna + "/devices", device, "device.register"),
                ("POST", anna + "/erase", reason, "user.erase"),
                ("POST", "/api/admin/api-keys", #"{"name":"n","scopes":["read"]}"#, "api_key.create"),
                ("POST", "/api/admin/api-keys/2/revoke", reason, "api_key.revoke"),
            ] {
                let lines = try await Self.lines(method, path, body, as: admin, server)
                #expect(lines == ["info act action=\(action) actor=api_key:3 admin"], "\(path)")
            }
            let own = try await Self.lines("POST", "/api/devices", device, as: Fixture.token(of: "anna"), server)
            let preview = try await Self.lines("POST", anna + "/grants?dry_run=1", grant, as: admin, server)
            let refusal = try await Self.lines(
                "POST", anna + "/bind", #"{"external_id":"x","reason":"r"}"#, as: admin, server)
            #expect(own == [] && preview == [] && refusal == [])
        }
    }
}

import Entitlements
import LedgerStore
import StrictJSON
import Support
import Testing

@testable import EntitlementAPI

/// The audit trail is asked by person, actor, act and time.
struct AuditRouteTests {
    private static let audit = "/api/admin/audit?"

    @Test func `filters find their entries, alone and together`() async throws {
        try await TestServer.run { server in
            func name(_ method: String, _ user: String) async throws {
                let answer = try await server.send(
                    method, "/api/admin/users/\(user)/sandbox-tester", "{}", token: Fixture.apiKey(.write),
                    fields: [("Idempotency-Key", method + user)])
                #expect(answer.status == 200)
            }
            try await name("PUT", "anna")
            server.wait(hours: 24)
            try await name("PUT", "ben+1@x")
            try await name("DELETE", "anna")
            let anna = try await server.open.schema.number("SELECT pseudonym FROM users WHERE user_id = 'anna'")
            for (query, ids) in [
                ("", ["3", "2", "1"]), ("user_id=anna", ["3", "1"]), ("user_id=ben%2B1@x", ["2"]),
                ("user_id=ben+1@x", ["2"]), ("user_id=%23\(anna)", ["3", "1"]), ("user_id=nobody", []),
                ("actor=api_key:1", ["3", "2", "1"]), ("actor=api_key:1%20write", ["3", "2", "1"]),
                ("actor=command_line", []), ("action=sandbox_tester.name", ["2", "1"]), ("action=x", []),
                ("action=%C3%A9", []),
                ("since=2026-01-16T00:00:00Z", ["3", "2"]), ("until=2026-01-16T00:00:00Z", ["1"]),
                ("user_id=anna&since=2026-01-16T00:00:00Z&until=2026-01-17T00:00:00Z", ["3"]),
                ("user_id=anna&action=sandbox_tester.name&actor=api_key:1", ["1"]),
            ] {
                let answer = try await server.send("GET", Self.audit + query, token: Fixture.apiKey(.audit))
                #expect(
                    try answer.json["data"]?.elements?.compactMap { $0["id"]?.string } == ids,
                    "\(query): \(answer.body)")
            }
            let first = try await server.send(
                "GET", Self.audit + "user_id=anna&limit=1", token: Fixture.apiKey(.audit)
            ).json
            let cursor = try #require(first["next_cursor"]?.string)
            let second = try await server.send(
                "GET", Self.audit + "user_id=anna&limit=1&cursor=" + cursor, token: Fixture.apiKey(.audit)
            ).json
            #expect(second["data"]?.elements?.map { $0["id"]?.string } == ["1"])
            #expect(second["next_cursor"]?.isNull == true)
        }
    }

    @Test func `a malformed filter is refused by name`() async throws {
        try await TestServer.run { server in
            for (query, parameter) in [
                ("user_id=", "user_id"), ("user_id=a%20b", "user_id"), ("user_id=%23", "user_id"),
                ("user_id=%2301", "user_id"), ("actor=", "actor"),
                ("actor=" + String(repeating: "a", count: 129), "actor"), ("action=", "action"),
                ("action=" + String(repeating: "a", count: 65), "action"), ("since=yesterday", "since"),
                ("until=2026-01-15", "until"), ("actor=a&actor=a", "actor"),
                ("since=2026-01-15T00:00:00Z&until=2026-01-15T00:00:00Z", "until"), ("person=anna", "person"),
            ] {
                try await server.expectRefusal(
                    400, "invalid_request", "GET", Self.audit + query, at: "?" + parameter,
                    token: Fixture.apiKey(.audit))
            }
            try await server.expectRefusal(
                403, "forbidden", "GET", Self.audit + "user_id=anna", token: Fixture.apiKey(.write))
        }
    }
}

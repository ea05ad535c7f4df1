import AppStore
import Entitlements
import LedgerStore
import MariaDB
import NIOHTTP1
import StrictJSON
import Support
import Synchronization
import Testing

@testable import EntitlementAPI

/// A person's data is handed out and taken away.
struct ErasureRoutesTests {
    private static let user = "/api/admin/users/u1"

    private static func erase(
        _ body: String?, key: String = "k1", user: String = user, _ server: TestServer
    ) async throws -> TestServer.Answer {
        try await server.send(
            "POST", user + "/erase", body, token: Fixture.apiKey(.admin), fields: [("Idempotency-Key", key)])
    }

    @Test func `what is held is exported`() async throws {
        try await TestServer.run { server in
            try await server.sell("pass.30d", as: "p1", .pass, to: "u1")
            let export = try await server.send("GET", Self.user + "/export", token: Fixture.apiKey(.admin))
            #expect(export.status == 200 && export.body.contains(#""u1""#) && export.body.contains("p1"))
            #expect(export.headers.first(name: "cache-control") == "no-store")
            let unknown = try await server.send(
                "GET", "/api/admin/users/u2/export", token: Fixture.apiKey(.admin))
            #expect(unknown.status == 404 && unknown.code == "not_found")
        }
    }

    @Test func `nothing of an erased person is answered any more`() async throws {
        try await TestServer.run { server in
            try await server.sell("pass.30d", as: "p1", .pass, to: "u1")
            #expect(try await server.send("GET", "/api/iap/apple/status").json["active"]?.flag == true)
            let erased = try await Self.erase(#"{"reason":"asked"}"#, server)
            #expect(erased.status == 204 && erased.body.isEmpty)
            let told = try await server.audited
            #expect(told.map { $0["action"]?.string } == [AuditAction.erase.text])
            #expect(told.first?["reason"]?.string == "asked")
            #expect(try await server.send("GET", "/api/iap/apple/status").json["state"]?.string == "none")
            #expect(try await Self.erase(#"{"reason":"asked"}"#, key: "k2", server).code == "not_found")
            // The same length and the same instants as before, and yet another ledger.
            try await server.sell("pass.30d", as: "p2", .pass, to: "u1")
            let back = try await server.send("GET", "/api/iap/apple/status")
            #expect(back.body.contains("p2") && !back.body.contains("p1"))
        }
    }

    @Test func `no act of an operator takes what an erased person had`() async throws {
        try await TestServer.run { server in
            try await server.sell("pass.30d", as: "p1", .pass, to: "u1")
            #expect(try await Self.erase(#"{"reason":"asked"}"#, server).status == 204)
            let purchases = try await server.open.schema.dump("purchases")
            for (path, body, status, code) in [
                ("u2/bind", #"{"external_id":"p1","reason":"r"}"#, 409, "not_claimable"),
                ("u2/bind?dry_run=1", #"{"external_id":"p1","reason":"r"}"#, 409, "not_claimable"),
                ("u1/bind", #"{"external_id":"p1","reason":"r"}"#, 409, "not_claimable"),
                ("u1/transfer", #"{"external_id":"p1","to_user_id":"u2","reason":"r"}"#, 404, "unknown_purchase"),
                ("u1/transfer", #"{"all":true,"to_user_id":"u2","reason":"r"}"#, 404, "unknown_purchase"),
                ("u2/merge", #"{"from_user_id":"u1","reason":"r"}"#, 404, "unknown_guest"),
                ("%231/transfer", #"{"all":true,"to_user_id":"u2","reason":"r"}"#, 404, "not_found"),
                ("u2/revoke", #"{"external_id":"p1","reason":"r"}"#, 404, "unknown_purchase"),
            ] {
                try await server.expectRefusal(
                    status, code, "POST", "/api/admin/users/" + path, body, fields: [("Idempotency-Key", path)],
                    token: Fixture.apiKey(.write))
            }
            let bound = try await server.send(
                "POST", "/api/admin/users/u2/bind", #"{"external_id":"p1","reason":"r"}"#,
                token: Fixture.apiKey(.write), fields: [("Idempotency-Key", "k")])
            let detail = try bound.json["detail"]?.string
            #expect(detail == "Its owner was erased: only the same Apple account can claim it.", "\(bound.body)")
            #expect(try bound.json["retry"]?.string == "never")
            #expect(try await server.open.schema.dump("purchases") == purchases)
            #expect(try await server.audited.map { $0["action"]?.string } == [AuditAction.erase.text])
        }
    }

    private static func about(_ user: String, _ other: String? = nil) -> IdempotencySubject {
        UserID(user).map { .init($0, and: other.flatMap { UserID($0) }, under: Fixture.labels) } ?? .nobody
    }

    private static let writes: [(String, String, String, String, IdempotencySubject)] = [
        ("grants/g1/revoke", "POST", user, #"{"reason":"r"}"#, about("u1")),
        ("devices/d1", "DELETE", user, "{}", about("u1")),
        (
            "transfer", "POST", user, #"{"all":true,"to_user_id":"u2","reason":"r"}"#, about("u1", "u2")
        ),
        ("merge", "POST", user, #"{"from_user_id":"u3","reason":"r"}"#, about("u1", "u3")),
        ("transfer", "POST", user, #"{"all":true,"to_user_id":"?","reason":"r"}"#, about("u1")),
        ("erase", "POST", user, #"{"reason":"r"}"#, about("u1")),
        (
            "compensations", "POST", "/api/admin",
            #"{"from":"2026-01-01T00:00:00Z","to":"2026-01-01T01:00:00Z","add_hours":1,"reason":"r","reference":"o"}"#,
            .anybody
        ),
        ("api-keys", "POST", "/api/admin", #"{"name":"till","scopes":["read"]}"#, .nobody),
        ("api-keys/7/revoke", "POST", "/api/admin", "{}", .nobody),
    ]

    @Test(arguments: writes)
    func `a write says whom it is about so that its answer goes with them`(
        path: String, method: String, prefix: String, body: String, subject: IdempotencySubject
    ) async throws {
        try await TestServer.run { server in
            let schema = try server.open.schema
            // A request that is refused gives its key up.
            try await schema.rows("DROP TABLE IF EXISTS claimed")
            try await schema.rows("CREATE TABLE claimed AS SELECT subject, other_subject FROM idempotency_keys")
            try await schema.rows(
                """
                CREATE OR REPLACE TRIGGER note_claim AFTER INSERT ON idempotency_keys FOR EACH ROW
                    INSERT INTO claimed VALUES (NEW.subject, NEW.other_subject)
                """)
            _ = try await server.send(
                method, prefix + "/" + path, body, token: Fixture.apiKey(.admin),
                fields: [("Idempotency-Key", "k")])
            let claimed = try await schema.rows("SELECT subject, other_subject FROM claimed")
            try await schema.rows("DROP TRIGGER note_claim")
            let (one, other): (Value, Value) =
                switch subject {
                case .nobody: (.null, .null)
                case .anybody: (.text("*"), .null)
                case .user(let user, and: let other): (.text(user.text), other.map { .text($0.text) } ?? .null)
                }
            #expect(claimed == [[one, other]])
        }
    }

    @Test(arguments: [nil, "[]", "{}", #"{"reason":""}"#, #"{"reason":7}"#])
    func `without a reason, nobody is erased`(body: String?) async throws {
        try await TestServer.run { server in
            try await server.sell("pass.30d", as: "p1", .pass, to: "u1")
            #expect((400...415).contains(try await Self.erase(body, server).status))
            let without = try await server.send(
                "POST", Self.user + "/erase", #"{"reason":"r"}"#, token: Fixture.apiKey(.admin))
            #expect(without.status == 400 && without.code == "invalid_request")
            #expect(try await server.audited.isEmpty)
        }
    }
}

import AppStore
import Entitlements
import LedgerStore
import StoreSimulator
import StrictJSON
import Synchronization
import Testing

@testable import EntitlementAPI

/// Texts that were verified before and come again (`semantics.md` §5, *Literal replay*).
struct ReplayRouteTests {
    private static func attach(
        _ jws: String, as user: String = "u1", _ server: TestServer
    ) async throws -> TestServer.Answer {
        try await server.send(
            "POST", "/api/iap/apple/transactions/attach", #"{"signedTransactionJWS":"\#(jws)"}"#,
            token: Fixture.token(of: user))
    }

    private static func restore(_ texts: [String], _ server: TestServer) async throws -> JSONValue {
        let list = texts.map { "\"\($0)\"" }.joined(separator: ",")
        return try await server.send("POST", "/api/iap/apple/restore", "[\(list)]").json
    }

    @Test func `the text of a purchase that is the user's is answered from what is recorded`() async throws {
        try await TestServer.run { server in
            let jws = try server.authority.sign(Fixture.pass()).text
            #expect(try await Self.attach(jws, server).json["outcome"]?.string == "attached")
            #expect(server.records == 1)
            for _ in 1...3 {
                #expect(try await Self.attach(jws, server).json["outcome"]?.string == "already_attached")
            }
            #expect(server.records == 1)
            let anew = try server.authority.sign(Fixture.pass().signed(at: 1_768_003_300_000)).text
            #expect(try await Self.attach(anew, server).json["outcome"]?.string == "already_attached")
            #expect(server.records == 2, "another text about it may say something new")
        }
    }

    @Test func `a replay is answered with the present disposition`() async throws {
        try await TestServer.run { server in
            let jws = try server.authority.sign(Fixture.pass()).text
            _ = try await Self.attach(jws, server)
            try await server.sell("pass.30d", as: "1001", .pass, in: .sandbox, revoked: 100_000)
            let recorded = server.records
            let told = try await Self.attach(jws, server).json
            #expect(told["outcome"]?.string == "revoked" && told["status"]?["active"]?.flag == false)
            #expect(server.records == recorded)
        }
    }

    @Test func `what is another's, nobody's or given away is decided as the first time`() async throws {
        try await TestServer.run { server in
            _ = try await server.send("GET", "/api/iap/apple/account-token", token: Fixture.token(of: "u2"))
            var named = Fixture.pass("2")
            named.appAccountToken = Fixture.accountToken
            let (owned, unowned) = (
                try server.authority.sign(Fixture.pass("1")).text, try server.authority.sign(named).text
            )
            _ = try await Self.attach(owned, server)
            for text in [owned, owned] {
                #expect(try await Self.attach(text, as: "u2", server).code == "owned_by_another_user")
            }
            for text in [unowned, unowned] {
                #expect(try await Self.attach(text, server).code == "account_token_mismatch")
            }
            #expect(server.records == 5)
            #expect(try await Self.attach(unowned, as: "u2", server).json["outcome"]?.string == "attached")
            let body = #"{"all":true,"to_user_id":"u3","reason":"r"}"#
            let moved = try await server.send(
                "POST", "/api/admin/users/u1/transfer", body, token: Fixture.apiKey(.write),
                fields: [("Idempotency-Key", "k")])
            #expect(moved.status == 200)
            #expect(try await Self.attach(owned, server).code == "owned_by_another_user")
            #expect(try await Self.attach(owned, as: "u3", server).json["outcome"]?.string == "already_attached")
            #expect(server.records == 8)
        }
    }

    @Test func `a restore of what is the user's records nothing, and one new item records them all`() async throws {
        try await TestServer.run { server in
            let texts = try (1...100).map { try server.authority.sign(Fixture.pass(String($0))).text }
            #expect(try await Self.restore(texts, server)["summary"]?["attached"]?.integer == "100")
            let again = try await Self.restore(texts + texts.prefix(3), server)
            #expect(again["summary"]?["already_attached"]?.integer == "100")
            #expect(again["summary"]?["duplicates"]?.integer == "3")
            #expect(server.records == 1)
            let new = try server.authority.sign(Fixture.pass("101")).text
            let more = try await Self.restore(texts + [new, "x"], server)
            let summary = ["attached", "already_attached", "refused"].map { more["summary"]?[$0]?.integer }
            #expect(summary == ["1", "100", "1"] && server.records == 2)
        }
    }
}

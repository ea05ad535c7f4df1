import AppStore
import Entitlements
import MariaDB
import NIOHTTP1
import LedgerStore
import StrictJSON
import Support
import Testing

@testable import EntitlementAPI

/// What the routes of servers and operators refuse before anything is asked.
struct AdminRoutesTests {
    private static let admin = Fixture.apiKey(.admin)

    @Test func `a write needs a key of its own`() async throws {
        try await TestServer.run { server in
            let path = "/api/admin/api-keys"
            let body = #"{"name":"till","scopes":["read"]}"#
            for key in ["", "a b", "é", "a\tb", String(repeating: "k", count: 256)] {
                let answer = try await server.send(
                    "POST", path, body, token: Self.admin, fields: [("Idempotency-Key", key)])
                #expect(answer.status == 400 && answer.code == "invalid_request", "\(key)")
                #expect(try answer.json["errors"]?.elements?[0]["pointer"]?.string == "Idempotency-Key")
            }
            let two = try await server.send(
                "POST", path, body, token: Self.admin, fields: [("Idempotency-Key", "a"), ("Idempotency-Key", "b")])
            #expect(two.status == 400)
            for key in ["k", "~!\"#", String(repeating: "k", count: 255)] {
                let first = try await server.send(
                    "POST", path, body, token: Self.admin, fields: [("Idempotency-Key", key)])
                #expect(first.status == 201)
                // As while the first attempt is at it.
                try await server.open.schema.rows("UPDATE idempotency_keys SET status = NULL, body = NULL")
                let answer = try await server.send(
                    "POST", path, body, token: Self.admin, fields: [("Idempotency-Key", key)])
                #expect(answer.status == 409 && answer.code == "idempotency_in_progress", "\(key)")
                #expect(answer.headers.first(name: "retry-after") == "1")
            }
        }
    }

    @Test func `a key is of the right form`() async throws {
        try await TestServer.run { server in
            for (body, pointer) in [
                ("{}", "#/name"), (#"{"name":7,"scopes":["read"]}"#, "#/name"), (#"{"name":"a"}"#, "#/scopes"),
                (#"{"name":"a","scopes":[]}"#, "#/scopes"), (#"{"name":"a","scopes":"read"}"#, "#/scopes"),
                (#"{"name":"a","scopes":["read","root"]}"#, "#/scopes"), (#"{"name":"a","scopes":[1]}"#, "#/scopes"),
                (#"{"name":"","scopes":["read"]}"#, "#/name"), (#"{"name":"a\nb","scopes":["read"]}"#, "#/name"),
                (#"{"name":"a","scopes":["read"],"reason":""}"#, "#/reason"),
                (#"{"name":"a","scopes":["read"],"reason":5}"#, "#/reason"), ("[]", "#/name"),
            ] {
                let answer = try await server.send("POST", "/api/admin/api-keys", body, token: Self.admin)
                #expect(answer.status == 400, "\(body)")
                #expect(try answer.json["errors"]?.elements?[0]["pointer"]?.string == pointer, "\(body)")
            }
        }
    }

    @Test func `a page is of the right size and comes from an earlier one`() async throws {
        try await TestServer.run { server in
            let lists = [
                "transactions", "audit", "api-keys", "ended-before-attached", "anomalies", "conflicts",
                "sandbox-testers", "jobs",
            ]
            for path in lists.map({ "/api/admin/\($0)" }) {
                for query in [
                    "limit=0", "limit=101", "limit=x", "cursor=", "cursor=1", "cursor=YmVmb3JlIA", "limit=1&limit=1",
                ] {
                    let answer = try await server.send("GET", "\(path)?\(query)", token: Self.admin)
                    #expect(answer.status == 400 && answer.code == "invalid_request", "\(path)?\(query)")
                }
                let answer = try await server.send("GET", path + "?limit=100", token: Self.admin)
                let count = path.hasSuffix("api-keys") ? APIKeyScope.allCases.count : 0
                #expect(try answer.json["data"]?.elements?.count == count && answer.json["next_cursor"]?.isNull == true)
            }
            for query in ["", "?q=", "?q=" + String(repeating: "a", count: 256), "?q=a&q=b"] {
                #expect(try await server.send("GET", "/api/admin/search" + query, token: Self.admin).status == 400)
            }
        }
    }

    @Test func `accounts of several users are told with how much each has, the erased without a name`() async throws {
        try await TestServer.run { server in
            for environment in [StoreEnvironment.production, .sandbox] {
                for (number, owner) in ["u1", "u1", "gone", "u2"].enumerated() {
                    let id = "\(environment.rawValue) \(number)"
                    let state = VerifiedPurchase(
                        key: PurchaseKey(
                            source: .appleIAP, app: Fixture.app, environment: environment, externalID: ExternalID(id)),
                        transactionID: TransactionID(id), productID: ProductID("pass.30d"), type: .pass,
                        purchasedAt: Fixture.now, account: Label("7048"), signedAt: Fixture.now)
                    try await server.open.sell(state, to: try Fixture.user(owner))
                }
            }
            let erased = try await server.send(
                "POST", "/api/admin/users/gone/erase", #"{"reason":"asked"}"#, token: Self.admin,
                fields: [("Idempotency-Key", "k")])
            #expect(erased.status == 204)
            let token = Fixture.apiKey(.read)
            let first = try await server.send("GET", "/api/admin/conflicts?limit=1", token: token)
            #expect(
                first.body.hasPrefix(
                    #"{"data":[{"apple_account":"7048","app":"com.example.app","environment":"Sandbox","users":["#
                        + #"{"user_id":"u1","purchases":2,"refused_claims":0},"#
                        + #"{"user_id":null,"purchases":1,"refused_claims":0},"#
                        + #"{"user_id":"u2","purchases":1,"refused_claims":0}]}],"#
                ),
                "\(first.body)")
            let cursor = try #require(try first.json["next_cursor"]?.string)
            let rest = try await server.send("GET", "/api/admin/conflicts?cursor=\(cursor)", token: token).json
            #expect(rest["data"]?.elements?.map { $0["environment"]?.string } == ["Production"])
            #expect(rest["next_cursor"]?.isNull == true)
        }
    }

    @Test func `the catalogue says what is in force`() async throws {
        try await TestServer.run { server in
            let json = try await server.send("GET", "/api/admin/catalog", token: Fixture.apiKey(.read)).json
            #expect(json["catalog_version"]?.integer == "3" && json["default_tier"]?.string == "free")
            #expect(json["products"]?.elements?.count == 4 && json["tiers"]?.elements?.count == 2)
            #expect(json["versions"]?.elements?.count == 1)
            let ownership = ["pass", "add_on", "consumable", "plan"].map { json["ownership"]?[$0]?.string }
            #expect(ownership == ["keep", "keep", "keep", "keep"])
            let terms = [
                "duration_days", "requires_tier", "devices", "unit", "amount", "on_shortfall", "plan_id",
                "family_shareable",
            ]
            let stated = json["products"]?.elements?.map { product in
                terms.filter { product[$0]?.isNull == false }.map {
                    "\($0) \(product[$0]?.string ?? product[$0]?.number ?? "\(product[$0]?.flag ?? false)")"
                }
            }
            #expect(
                stated == [
                    ["duration_days 30"], ["devices 2", "family_shareable false"],
                    ["unit credit", "amount 100", "on_shortfall debt"],
                    ["devices 3", "plan_id annual_3", "family_shareable true"],
                ])
        }
    }

    @Test func `a kept answer opens with its server's key and for its request only`() throws {
        let secrets = try [APIKeyScope.read, .write].map {
            guard let secret = APIKeySecret(Fixture.apiKey($0)) else { throw Fixture.Missing() }
            return secret
        }
        let seal = AnswerSeal(secret: secrets[0])
        let (key, other) = (Label("k"), Label("K"))
        let answer = Array(#"{"key":"gp_secret"}"#.utf8)
        let sealed = seal.sealed(answer, for: key, 1)
        #expect(seal.opened(sealed, for: key, 1) == answer)
        #expect(!String(decoding: sealed, as: UTF8.self).contains("secret"))
        #expect(seal.opened(sealed, for: other, 1) == nil && seal.opened(sealed, for: key, 2) == nil)
        #expect(AnswerSeal(secret: secrets[1]).opened(sealed, for: key, 1) == nil)
        #expect(seal.opened([], for: key, 1) == nil && seal.opened(Array(sealed.dropLast()), for: key, 1) == nil)
        #expect(seal.sealed(answer, for: key, 2) != sealed)
    }
}

import AppStore
import Entitlements
import NIOHTTP1
import StoreSimulator
import StrictJSON
import Synchronization
import Testing

@testable import EntitlementAPI

struct ReadRoutesTests {
    private static let status = "/api/iap/apple/status"

    private static func attachPasses(_ count: Int, _ server: TestServer) async throws {
        for number in 1...count {
            let jws = try server.authority.sign(Fixture.pass(String(number))).text
            let body = #"{"signedTransactionJWS":"\#(jws)"}"#
            let answer = try await server.send("POST", "/api/iap/apple/transactions/attach", body)
            #expect(answer.status == 200, "\(answer.body)")
        }
    }

    @Test func `the status has every member of the contract`() async throws {
        try await TestServer.run { server in
            let answer = try await server.send("GET", Self.status, token: Fixture.token(of: "nobody"))
            let empty =
                #"{"user_id":"nobody","known":false,"at":"2026-01-15T12:00:00Z","active":false,"tier":"free","#
                + #""tier_rank":0,"expires_at":null,"expires_at_ms":null,"access_expires_at":null,"#
                + #""access_expires_at_ms":null,"#
                + #""state":"none","features":[],"limits":{"saved_trips":1},"entitlements":[],"segments":[],"#
                + #""add_ons":[],"credits":[],"devices":{"allowed":0,"active":0,"suspended":0},"#
                + #""offers":[],"explanation":[]}"#
            #expect(answer.body == empty)
            #expect(answer.headers.first(name: "cache-control") == "private, no-cache")
            try await Self.attachPasses(1, server)
            let json = try await server.send("GET", Self.status).json
            #expect(json["active"] != nil && json["state"]?.string == "active")
            let entitlement = json["entitlements"]?.elements?.first
            for name in [
                "source", "external_id", "product_id", "store_product_id", "kind", "tier", "state", "starts_at",
                "starts_at_ms", "ends_at", "ends_at_ms", "will_renew", "environment",
            ] { #expect(entitlement?[name] != nil, "\(name)") }
            let segment = json["segments"]?.elements?.first
            for name in [
                "lane", "tier", "tier_rank", "source", "external_id", "product_id", "store_product_id", "environment",
                "starts_at", "starts_at_ms", "ends_at", "ends_at_ms",
            ] { #expect(segment?[name] != nil, "\(name)") }
        }
    }

    @Test func `two users of whom nothing differs have two tags`() async throws {
        try await TestServer.run { server in
            for query in ["", "?history=1"] {
                let first = try await server.send("GET", Self.status + query, token: Fixture.token(of: "u1"))
                let tag = try #require(first.headers.first(name: "etag"))
                let second = try await server.send(
                    "GET", Self.status + query, token: Fixture.token(of: "u2"), fields: [("If-None-Match", tag)])
                #expect(second.status == 200 && second.headers.first(name: "etag") != tag)
                let again = try await server.send(
                    "GET", Self.status + query, token: Fixture.token(of: "u1"), fields: [("If-None-Match", tag)])
                #expect(again.status == 304)
            }
        }
    }

    @Test func `the tag changes only with the substance`() async throws {
        try await TestServer.run { server in
            try await Self.attachPasses(1, server)
            let now = try await server.send("GET", Self.status)
            let later = try await server.send("GET", Self.status + "?at=2026-01-16T00:00:00Z")
            let tag = now.headers.first(name: "etag") ?? ""
            #expect(tag.hasPrefix("W/\"") && later.headers.first(name: "etag") == tag)
            #expect(now.body != later.body)
            let ended = try await server.send("GET", Self.status + "?at=2027-01-16T00:00:00Z")
            #expect(ended.headers.first(name: "etag") != tag)
            for field in [tag, "*", "\"x\", \(tag)"] {
                let same = try await server.send("GET", Self.status, fields: [("If-None-Match", field)])
                #expect(same.status == 304 && same.body.isEmpty && same.headers.first(name: "etag") == tag)
            }
            #expect(try await server.send("GET", Self.status, fields: [("If-None-Match", "\"x\"")]).status == 200)
        }
    }

    @Test func `history and explanation are given when asked for`() async throws {
        try await TestServer.run { server in
            try await Self.attachPasses(2, server)
            let at = "?at=2026-02-20T00:00:00Z"
            func count(_ member: String, _ query: String) async throws -> Int? {
                try await server.send("GET", Self.status + at + query).json[member]?.elements?.count
            }
            #expect(try await count("segments", "") == 1)
            #expect(try await count("segments", "&history=1") == 2)
            #expect(try await count("explanation", "") == 0)
            #expect(try await count("explanation", "&explain=true") == 2)
            let explained = try await server.send("GET", Self.status + at + "&explain=1").json
            #expect(explained["explained_under"]?["sandbox_access"]?.string == "everyone")
            #expect(explained["explained_under"]?["renewal_leeway_hours"] != nil)
            #expect(explained["explained_under"]?["seat_grace_hours"] != nil)
            #expect(explained["explained_under"]?["catalog_version"] != nil)
            let facts = explained["explanation"]?.elements?.first?["facts"]?.elements ?? []
            #expect(facts.map { $0["kind"]?.string } == ["state", "bound"])
            for name in [
                "transaction_id", "signed_at", "signed_at_ms", "revoked_at", "revoked_at_ms", "revoked_share",
                "recorded_at", "recorded_at_ms",
            ] {
                #expect(facts.first?[name] != nil, "\(name)")
            }
            #expect(explained["acts"]?.elements?.isEmpty == true)
            let plain = try await server.send("GET", Self.status + at).json
            #expect(plain["explained_under"] == nil && plain["acts"] == nil)
            #expect(try await count("entitlements", "&known_at=2026-01-01T00:00:00Z") == 0)
            for (query, pointer) in [
                ("?at=soon", "?at"), ("?at=", "?at"), ("?known_at=1", "?known_at"), ("?history=yes", "?history"),
                ("?explain=2", "?explain"), ("?at=%ff", "?"),
            ] {
                let answer = try await server.send("GET", Self.status + query)
                #expect(answer.status == 400, "\(query)")
                #expect(try answer.json["errors"]?.elements?.first?["pointer"]?.string == pointer, "\(query)")
            }
        }
    }

    @Test func `what is planned past the year 9999 ends in its last millisecond, in text and number`() async throws {
        try await TestServer.run { server in
            let days = CatalogueCheck.maximumDays
            for number in 0..<(8_000 * 366 / days + 1) {
                try await server.grant(.addDays(days, of: TierID("pro")), as: "g\(number)")
            }
            for query in ["", "?history=1&explain=1"] {
                let answer = try await server.send("GET", Self.status + query)
                let json = try answer.json
                for name in ["expires_at", "access_expires_at"] {
                    #expect(json[name]?.string == "9999-12-31T23:59:59Z")
                    #expect(json[name + "_ms"]?.number == "253402300799999")
                }
                #expect(!answer.body.contains("253402300800"))
                let instants = answer.body.matches(of: /_ms":(\d{15,})/).map { Int64($0.1) ?? .max }
                #expect(instants.max() == 253_402_300_799_999)
            }
        }
    }

    @Test func `purchases come in pages`() async throws {
        try await TestServer.run { server in
            try await Self.attachPasses(5, server)
            var path = "/api/iap/purchases?limit=2"
            var ids: [String] = []
            for _ in 0..<3 {
                let json = try await server.send("GET", path).json
                ids += json["data"]?.elements?.compactMap { $0["transaction_id"]?.string } ?? []
                guard let cursor = json["next_cursor"]?.string else { break }
                path = "/api/iap/purchases?limit=2&cursor=" + cursor
            }
            #expect(ids == ["1", "2", "3", "4", "5"])
            for query in ["?limit=0", "?limit=101", "?limit=x", "?cursor=x", "?cursor=", "?cursor=AAAA"] {
                #expect(try await server.send("GET", "/api/iap/purchases" + query).status == 400, "\(query)")
            }
        }
    }

    @Test func `purchases are told as they were and as they were known`() async throws {
        try await TestServer.run { server in
            try await Self.attachPasses(1, server)
            server.wait(hours: 1)
            try await server.grant(.addDays(30, of: TierID("pro")), as: "g1")
            func told(_ query: String) async throws -> [String?] {
                let data = try await server.send("GET", "/api/iap/purchases" + query).json["data"]?.elements ?? []
                return data.flatMap { [$0["external_id"]?.string, $0["state"]?.string] }
            }
            #expect(try await told("") == ["g1", "running", "1", "running"])
            #expect(try await told("?known_at=2026-01-15T12:30:00Z") == ["1", "running"])
            #expect(try await told("?known_at=2026-01-01T00:00:00Z") == [])
            #expect(try await told("?at=2026-02-12T00:00:00Z") == ["g1", "running", "1", "finished"])
            #expect(
                try await told("?at=2027-01-01T00:00:00Z&known_at=2026-01-15T12:30:00Z") == ["1", "finished"])
            for (query, pointer) in [("?at=soon", "?at"), ("?known_at=", "?known_at")] {
                let answer = try await server.send("GET", "/api/iap/purchases" + query)
                #expect(answer.status == 400)
                #expect(try answer.json["errors"]?.elements?.first?["pointer"]?.string == pointer, "\(query)")
            }
        }
    }

    @Test func `the check is for oneself`() async throws {
        try await TestServer.run { server in
            try await Self.attachPasses(1, server)
            let path = "/api/billing/subscriptions/check/"
            let mine = try await server.send("GET", path + "u1")
            #expect(
                mine.body
                    == #"{"is_subscribed":true,"has_active_subscription":true,"status":"ACTIVE","provider":"apple","#
                    + #""plan_id":null,"devices":5,"expires_at":"2026-02-09T00:00:00Z","#
                    + #""access_expires_at":"2026-02-09T00:00:00Z","manage_url":null}"#)
            let unknown = try await server.send("GET", "/nowhere")
            for id in ["u2", "U1", "u1%00", "+u1", "01", "u%31x", "u1%2F", "u1%", "u1%4", "%ff", "..", "%75%32"] {
                let answer = try await server.send("GET", path + id)
                #expect(answer.status == 404 && answer.body == unknown.body, "\(id)")
            }
            #expect(try await server.send("GET", path + "%751").body == mine.body)
            #expect(try await server.send("GET", path + "a%40b.c", token: Fixture.token(of: "a@b.c")).status == 200)
            #expect(try await server.send("GET", path + "u1", token: nil).status == 401)
        }
    }

    @Test func `products come in the client's language`() async throws {
        try await TestServer.run { server in
            let path = "/api/iap/apple/products"
            let english = try await server.send("GET", path, token: nil)
            #expect(english.status == 200 && english.headers.first(name: "content-language") == "en")
            let json = try english.json
            #expect(json["catalog_version"]?.integer == "3" && json["products"]?.elements?.count == 4)
            let pass = json["products"]?.elements?[0]
            #expect(pass?["duration_days"]?.integer == "30" && pass?["price"]?["amount"]?.string == "4.99")
            #expect(pass?["duration_seconds"]?.integer == "2592000")
            let plan = json["products"]?.elements?[3]
            #expect(plan?["period"]?.string == "annual" && plan?["devices"]?.integer == "3")
            let chinese = try await server.send(
                "GET", path, token: nil, fields: [("Accept-Language", "zh-Hans-CN, en;q=0.5")])
            #expect(try chinese.json["products"]?.elements?[0]["title"]?.string == "30 天通行证")
            let tag = chinese.headers.first(name: "etag") ?? ""
            #expect(tag != english.headers.first(name: "etag"))
            let same = try await server.send(
                "GET", path, token: nil, fields: [("Accept-Language", "zh"), ("If-None-Match", tag)])
            #expect(same.status == 304)
            #expect(try await server.send("GET", path + "?bundle_id=com.example.app", token: nil).status == 200)
            #expect(try await server.send("GET", path + "?bundle_id=other", token: nil).status == 404)
        }
        let two = CatalogueVersions(
            first: CatalogueVersions.Version(
                number: 1, effectiveAt: .distantPast, catalogue: Fixture.catalogue(of: [AppID("a"), AppID("b")])))
        try await TestServer.run(catalogue: two) { server in
            let path = "/api/iap/apple/products"
            let unnamed = try await server.send("GET", path, token: nil)
            #expect(unnamed.status == 400)
            let named = try await server.send("GET", path + "?bundle_id=b", token: nil).json
            #expect(named["products"]?.elements?.count == 4)
        }
    }

    @Test func `operators see whether it is ready`() async throws {
        try await TestServer.run { server in
            #expect(try await server.send("GET", "/livez", token: nil).body == #"{"status":"alive"}"#)
            let ready = try await server.send("GET", "/readyz", token: nil)
            #expect(ready.status == 200)
            #expect(
                ready.body == #"{"status":"ready","version":"1.2.3","#
                    + #""checks":[{"name":"database","ok":true,"detail":"reachable"}]}"#)
            server.world.readiness.withLock {
                $0 = Readiness(
                    version: "1.2.3", checks: [.init(name: "database", isInOrder: false, detail: "unreachable")])
            }
            let draining = try await server.send("GET", "/readyz", token: nil)
            #expect(draining.status == 503 && draining.headers.first(name: "retry-after") == "5")
            let openAPI = try await server.send("GET", "/openapi.yaml", token: nil)
            #expect(openAPI.headers.first(name: "content-type") == "application/yaml")
            #expect(
                try await server.send("GET", "/api/iap/apple/account-token").body
                    == #"{"app_account_token":"0f3b8c9e-5f6d-4a7b-8c9d-0e1f2a3b4c5d"}"#)
        }
    }
}

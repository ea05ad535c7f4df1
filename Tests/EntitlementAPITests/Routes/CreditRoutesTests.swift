import AppStore
import Entitlements
import LedgerStore
import NIOHTTP1
import StrictJSON
import Support
import Synchronization
import Testing

@testable import EntitlementAPI

struct CreditRoutesTests {
    private static let spend = "/api/credits/credit/spend"
    private static let reserve = "/api/credits/credit/reservations"

    private static func key(_ text: String) -> [(String, String)] { [("Idempotency-Key", text)] }

    private static func reservation(_ answer: TestServer.Answer) throws -> String {
        "/api/credits/reservations/" + (try answer.json["reservation_id"]?.string ?? "")
    }

    @Test func `a spend says from which lots, and its repeat the same`() async throws {
        try await TestServer.run { server in
            try await server.sellCredits()
            try await server.grant(.credits(50, unit: "credit", expiresAt: Fixture.now + 86_400_000), as: "g1")
            let body = #"{"amount":60,"reference":"order 1"}"#
            let first = try await server.send("POST", Self.spend, body, fields: Self.key("k1"))
            #expect(first.status == 200)
            #expect(
                first.body
                    == #"{"spent":60,"lots":[{"external_id":"g1","amount":50},{"external_id":"c1","amount":10}],"#
                    + #""spendable":90,"debt":0}"#)
            #expect(first.headers.first(name: "idempotency-replayed") == nil)
            #expect(first.headers.first(name: "cache-control") == "no-store")
            try await server.sellCredits("c2")
            let again = try await server.send(
                "POST", Self.spend, #" {"reference": "order 1", "amount": 60} "#, fields: Self.key("k1"))
            #expect(again.status == 200 && again.body == first.body)
            #expect(again.headers.first(name: "idempotency-replayed") == "true")
            let whole = try await server.send(
                "POST", Self.spend, #"{"amount":60.00,"reference":"order 1"}"#, fields: Self.key("k1"))
            #expect(whole.status == 200 && whole.body == first.body)
            for other in [
                #"{"amount":61,"reference":"order 1"}"#, #"{"amount":60,"reference":"order 2"}"#,
                #"{"amount":60,"reference":"order 1","environment":"Sandbox"}"#,
            ] {
                try await server.expectRefusal(
                    422, "idempotency_key_reused", "POST", Self.spend, other, fields: Self.key("k1"))
            }
            try await server.expectRefusal(
                422, "idempotency_key_reused", "POST", Self.reserve, #"{"amount":60,"ttl_seconds":60}"#,
                fields: Self.key("k1"))
            let status = try await server.send("GET", "/api/iap/apple/status").json
            #expect(status["credits"]?.elements?.first?["spendable"]?.integer == "190")
        }
    }

    @Test func `the balance is made of its parts`() async throws {
        try await TestServer.run { server in
            try await server.sellCredits()
            try await server.sellCredits("s1", in: .sandbox)
            let empty = try await server.send("GET", "/api/credits", token: Fixture.token(of: "u2"))
            #expect(empty.body == #"{"data":[],"next_cursor":null}"#)
            _ = try await server.send(
                "POST", Self.spend, #"{"amount":70,"reference":"r"}"#, fields: Self.key("k1"))
            _ = try await server.send(
                "POST", Self.reserve, #"{"amount":20,"ttl_seconds":60}"#, fields: Self.key("k2"))
            try await server.sellCredits(revoked: 100_000)
            server.clock.now = server.clock.now + 1000
            let answer = try await server.send("GET", "/api/credits")
            let production =
                #"{"unit":"credit","environment":"Production","spendable":0,"debt":90,"reserved":20,"credited":100,"#
                + #""refunded":100,"expired":0,"spent":70,"written_off":0,"#
                + #""lots":[{"source":"apple_iap","external_id":"c1","credited_at":"2026-01-15T12:00:00Z","#
                + #""credited_at_ms":1768478400000,"expires_at":null,"expires_at_ms":null,"spendable":0,"#
                + #""reserved":20,"credited":100,"refunded":100,"expired":0,"spent":70,"repaid":0,"written_off":0}]}"#
            #expect(answer.body.contains(production), "\(answer.body)")
            #expect(try answer.json["data"]?.elements?.map { $0["environment"]?.string } == ["Production", "Sandbox"])
            try await server.expectRefusal(
                409, "in_debt", "POST", Self.spend, #"{"amount":1,"reference":"r"}"#, fields: Self.key("k3"))
            let sandbox = try await server.send(
                "POST", Self.spend, #"{"amount":1,"reference":"r","environment":"Sandbox"}"#, fields: Self.key("k3"))
            #expect(sandbox.status == 200, "a refusal is not remembered, and Sandbox has a balance of its own")
        }
    }

    @Test func `the balance is told as it was and with what made it`() async throws {
        try await TestServer.run { server in
            try await server.sellCredits()
            _ = try await server.send("POST", Self.spend, #"{"amount":70,"reference":"r"}"#, fields: Self.key("k1"))
            server.wait(hours: 1)
            let id = try await server.send(
                "POST", Self.reserve, #"{"amount":20,"ttl_seconds":60}"#, fields: Self.key("k2")
            ).json["reservation_id"]?.string
            func spendable(_ query: String) async throws -> String? {
                try await server.send("GET", "/api/credits" + query).json["data"]?.elements?.first?["spendable"]?
                    .integer
            }
            #expect(try await spendable("") == "10")
            #expect(try await spendable("?at=2026-01-15T12:30:00Z") == "30")
            #expect(try await spendable("?at=2026-01-15T13:01:00Z") == "30", "the reservation has ended by then")
            #expect(try await spendable("?at=2027-01-01T00:00:00Z&known_at=2026-01-15T12:30:00Z") == "30")
            #expect(try await spendable("?known_at=2026-01-01T00:00:00Z") == nil)
            let explained = try await server.send("GET", "/api/credits?explain=1&at=2026-01-15T13:01:00Z")
            let acts =
                #""acts":[{"kind":"credit","text":"20 of credit were reserved as \#(id ?? "").","#
                + #""recorded_at":"2026-01-15T13:00:00Z","recorded_at_ms":1768482000000,"#
                + #""starts_at":"2026-01-15T13:00:00Z","starts_at_ms":1768482000000,"#
                + #""ends_at":"2026-01-15T13:01:00Z","ends_at_ms":1768482060000,"reason":"finished","#
                + #""unit":"credit","environment":"Production","device_id":null,"#
                + #""lots":[{"source":"apple_iap","external_id":"c1","amount":20}]},"#
                + #"{"kind":"credit","text":"70 of credit were spent.","#
                + #""recorded_at":"2026-01-15T12:00:00Z","recorded_at_ms":1768478400002,"#
                + #""starts_at":"2026-01-15T12:00:00Z","starts_at_ms":1768478400000,"ends_at":null,"ends_at_ms":null,"#
                + #""reason":null,"unit":"credit","environment":"Production","device_id":null,"#
                + #""lots":[{"source":"apple_iap","external_id":"c1","amount":70}]}]"#
            #expect(explained.body.contains(acts), "\(explained.body)")
            #expect(try explained.json["explained_under"]?["sandbox_access"]?.string == "everyone")
            let status = try await server.send("GET", "/api/iap/apple/status?explain=1&at=2026-01-15T13:01:00Z")
            #expect(status.body.contains(acts), "\(status.body)")
            for (query, pointer) in [("?at=soon", "?at"), ("?known_at=", "?known_at"), ("?explain=2", "?explain")] {
                try await server.expectRefusal(400, "invalid_request", "GET", "/api/credits" + query, at: pointer)
                try await server.expectRefusal(400, "invalid_request", "GET", "/api/devices" + query, at: pointer)
            }
        }
    }

    @Test func `a spend is refused`() async throws {
        try await TestServer.run { server in
            try await server.sellCredits()
            let good = #"{"amount":1,"reference":"r"}"#
            for (body, pointer) in [
                ("[]", "#"), ("1", "#"), (#"{"reference":"r"}"#, "#/amount"),
                (#"{"amount":null,"reference":"r"}"#, "#/amount"), (#"{"amount":"1","reference":"r"}"#, "#/amount"),
                (#"{"amount":1.5,"reference":"r"}"#, "#/amount"),
                (#"{"amount":1.0e0,"reference":"r"}"#, "#/amount"), (#"{"amount":0,"reference":"r"}"#, "#/amount"),
                (#"{"amount":-1,"reference":"r"}"#, "#/amount"),
                (#"{"amount":1000000000001,"reference":"r"}"#, "#/amount"),
                (#"{"amount":99999999999999999999,"reference":"r"}"#, "#/amount"),
                (#"{"amount":1}"#, "#/reference"), (#"{"amount":1,"reference":""}"#, "#/reference"),
                (#"{"amount":1,"reference":7}"#, "#/reference"),
                (#"{"amount":1,"reference":"\#(String(repeating: "é", count: 256))"}"#, "#/reference"),
                (#"{"amount":1,"reference":"r","environment":"Xcode"}"#, "#/environment"),
                (#"{"amount":1,"reference":"r","environment":true}"#, "#/environment"),
                (#"{"amount":1,"amount":1,"reference":"r"}"#, "#"), (#"{"amount":1,"reference":"r"}x"#, "#"), ("", "#"),
            ] {
                try await server.expectRefusal(
                    400, "invalid_request", "POST", Self.spend, body, at: pointer, fields: Self.key("k"))
            }
            for text in ["", "a b", "é", String(repeating: "k", count: 256)] {
                try await server.expectRefusal(
                    400, "invalid_request", "POST", Self.spend, good, at: "Idempotency-Key", fields: Self.key(text))
            }
            try await server.expectRefusal(
                400, "invalid_request", "POST", Self.spend, good, at: "Idempotency-Key",
                fields: Self.key("a") + Self.key("b"))
            try await server.expectRefusal(
                415, "unsupported_media_type", "POST", Self.spend, good, fields: [("Content-Type", "text/plain")])
            try await server.expectRefusal(
                404, "unknown_unit", "POST", "/api/credits/gold/spend", good, fields: Self.key("k"))
            try await server.expectRefusal(
                404, "not_found", "POST", "/api/credits/%ff/spend", good, fields: Self.key("k"))
            try await server.expectRefusal(
                409, "insufficient_credits", "POST", Self.spend, #"{"amount":101,"reference":"r"}"#,
                fields: Self.key("k"))
            try await server.expectRefusal(
                409, "insufficient_credits", "POST", Self.spend, good, fields: Self.key("k"),
                token: Fixture.token(of: "u2"))
            let longest = String(repeating: "~", count: 255)
            let answer = try await server.send("POST", Self.spend, good, fields: Self.key(longest))
            #expect(answer.status == 200, "nothing that was refused is remembered")
        }
    }

    @Test func `keys belong to their user`() async throws {
        try await TestServer.run { server in
            try await server.sellCredits()
            try await server.sellCredits("c2", to: "u2")
            let body = #"{"amount":1,"reference":"r"}"#
            let mine = try await server.send("POST", Self.spend, body, fields: Self.key("k"))
            let theirs = try await server.send(
                "POST", Self.spend, body, token: Fixture.token(of: "u2"), fields: Self.key("k"))
            #expect(mine.status == 200 && theirs.status == 200 && mine.body != theirs.body)
            #expect(theirs.headers.first(name: "idempotency-replayed") == nil)
        }
    }

    @Test func `a reservation is committed in part`() async throws {
        try await TestServer.run { server in
            try await server.sellCredits()
            let body = #"{"amount":60,"ttl_seconds":600}"#
            let first = try await server.send("POST", Self.reserve, body, fields: Self.key("k"))
            #expect(first.status == 201)
            #expect(try first.json["expires_at"]?.string == "2026-01-15T12:10:00Z")
            #expect(try first.json["expires_at_ms"]?.integer == "1768479000000")
            let again = try await server.send("POST", Self.reserve, body, fields: Self.key("k"))
            #expect(again.status == 201 && again.body == first.body)
            #expect(again.headers.first(name: "idempotency-replayed") == "true")
            let status = try await server.send("GET", "/api/iap/apple/status").json
            #expect(status["credits"]?.elements?.first?["reserved"]?.integer == "60")

            let path = try Self.reservation(first)
            try await server.expectRefusal(409, "exceeds_reservation", "POST", path + "/commit", #"{"amount":61}"#)
            let committed = try await server.send("POST", path + "/commit", #"{"amount":20}"#)
            #expect(
                committed.body
                    == #"{"spent":20,"lots":[{"external_id":"c1","amount":20}],"spendable":80,"debt":0}"#)
            #expect(try await server.send("POST", path + "/commit", #"{"amount":20}"#).body == committed.body)
            try await server.expectRefusal(409, "already_committed", "POST", path + "/commit")
            try await server.expectRefusal(409, "already_committed", "POST", path + "/release")
        }
    }

    @Test func `a reservation is released or ends`() async throws {
        try await TestServer.run { server in
            try await server.sellCredits()
            let body = #"{"amount":60,"ttl_seconds":1}"#
            let first = try Self.reservation(
                try await server.send("POST", Self.reserve, body, fields: Self.key("k1")))
            let released = try await server.send("POST", first + "/release")
            #expect(released.body == #"{"spent":0,"lots":[],"spendable":100,"debt":0}"#)
            #expect(try await server.send("POST", first + "/release").body == released.body)
            try await server.expectRefusal(409, "already_released", "POST", first + "/commit")
            let second = try Self.reservation(
                try await server.send("POST", Self.reserve, body, fields: Self.key("k2")))
            try await server.expectRefusal(
                409, "insufficient_credits", "POST", Self.reserve, body, fields: Self.key("k3"))
            server.wait(hours: 1)
            try await server.expectRefusal(409, "reservation_ended", "POST", second + "/commit")
            #expect(try await server.send("POST", second + "/release").body == released.body)
            for (body, pointer) in [
                (#"{"amount":1}"#, "#/ttl_seconds"), (#"{"amount":1,"ttl_seconds":0}"#, "#/ttl_seconds"),
                (#"{"amount":1,"ttl_seconds":2592001}"#, "#/ttl_seconds"), (#"{"ttl_seconds":1}"#, "#/amount"),
            ] {
                try await server.expectRefusal(
                    400, "invalid_request", "POST", Self.reserve, body, at: pointer, fields: Self.key("k4"))
            }
            for (body, pointer) in [(#"{"amount":0}"#, "#/amount"), (#"{"amount":"1"}"#, "#/amount"), ("[]", "#")] {
                try await server.expectRefusal(
                    400, "invalid_request", "POST", second + "/commit", body, at: pointer)
            }
        }
    }

    @Test func `another user's reservation is like one that does not exist`() async throws {
        try await TestServer.run { server in
            try await server.sellCredits()
            let made = try await server.send(
                "POST", Self.reserve, #"{"amount":60,"ttl_seconds":600}"#, fields: Self.key("k"))
            let path = try Self.reservation(made)
            for act in ["/commit", "/release"] {
                let theirs = try await server.send("POST", path + act, token: Fixture.token(of: "u2"))
                let none = try await server.send(
                    "POST", "/api/credits/reservations/nothing" + act, token: Fixture.token(of: "u2"))
                #expect(theirs.status == 404 && theirs.code == "unknown_reservation" && theirs.body == none.body)
                #expect(try await server.send("POST", path + act, token: nil).status == 401)
                try await server.expectRefusal(
                    404, "not_found", "POST", "/api/credits/reservations/%ff" + act)
            }
            #expect(try await server.send("POST", path + "/commit").status == 200)
        }
    }

    @Test func `where users may not spend, nothing tells more`() async throws {
        try await TestServer.run(usersMaySpend: false) { server in
            try await server.sellCredits()
            for path in [
                Self.spend, Self.reserve, "/api/credits/gold/spend", "/api/credits/reservations/r1/commit",
                "/api/credits/reservations/r1/release",
            ] {
                let answer = try await server.send("POST", path, "not json")
                #expect(answer.status == 403 && answer.code == "forbidden", "\(path)")
                #expect(
                    answer.headers.first(name: "www-authenticate")?.contains("error=\"insufficient_scope\"") == true)
                #expect(try await server.send("POST", path, "{}", token: nil).status == 401)
            }
            #expect(try await server.send("GET", "/api/credits").status == 200)
        }
    }

    @Test func `writes are counted apart from attaches`() async throws {
        try await TestServer.run(rateLimits: RateLimits(attachPerMinute: 1)) { server in
            try await server.sellCredits()
            let body = #"{"amount":1,"reference":"r"}"#
            #expect(try await server.send("POST", Self.spend, body, fields: Self.key("k1")).status == 200)
            try await server.expectRefusal(429, "rate_limited", "POST", Self.spend, body, fields: Self.key("k1"))
            try await server.expectRefusal(
                400, "invalid_request", "POST", "/api/iap/apple/transactions/attach", "{}", at: "#/signedTransactionJWS"
            )
        }
    }

    @Test func `a database that is away is a passing fault`() async throws {
        try await TestServer.run(isOpen: false) { server in
            let body = #"{"amount":1,"reference":"r"}"#
            let answer = try await server.send("POST", Self.spend, body, fields: Self.key("k1"))
            #expect(answer.status == 503 && answer.headers.first(name: "retry-after") == "1")
            #expect(try await server.send("GET", "/api/credits").status == 503)
        }
    }
}

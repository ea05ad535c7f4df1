import AppStore
import Entitlements
import LedgerStore
import NIOHTTP1
import StrictJSON
import Synchronization
import Testing

@testable import EntitlementAPI

/// What a server does for one user.
struct UserActsTests {
    private static let user = "/api/admin/users/u1"

    private static func act(
        _ method: String, _ path: String, _ body: String? = nil, key: String, _ server: TestServer
    ) async throws -> TestServer.Answer {
        try await server.send(
            method, user + path, body, token: Fixture.apiKey(.write), fields: [("Idempotency-Key", key)])
    }

    private static func expectRefusal(
        _ status: Int, _ code: String, _ path: String, _ body: String, at pointer: String? = nil, _ server: TestServer,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await server.expectRefusal(
            status, code, "POST", user + path, body, at: pointer, fields: [("Idempotency-Key", "refused")],
            token: Fixture.apiKey(.write), sourceLocation: sourceLocation)
    }

    private static let why = #""reason":"sorry","reference":"t1""#

    @Test func `time is given once and taken back`() async throws {
        try await TestServer.run { server in
            let body = #"{"kind":"add_days","tier":"pro","days":30,\#(Self.why)}"#
            let first = try await Self.act("POST", "/grants", body, key: "k1", server)
            #expect(first.status == 201, "\(first.body)")
            let id = try first.json["id"]?.string ?? ""
            #expect(
                first.body
                    == #"{"id":"\#(id)","kind":"add_days","tier":"pro","days":30,"#
                    + #""granted_at":"2026-01-15T12:00:00Z","granted_at_ms":1768478400000}"#)
            let again = try await Self.act("POST", "/grants", body, key: "k1", server)
            #expect(again.status == 201 && again.body == first.body)
            #expect(again.headers.first(name: "idempotency-replayed") == "true")
            let turned = #"{ \#(Self.why), "days":30, "tier":"pr\u006f", "kind":"add_days"}"#
            #expect(try await Self.act("POST", "/grants", turned, key: "k1", server).body == first.body)
            for other in [#"{"kind":"add_days","tier":"pro","days":31,\#(Self.why)}"#, body.dropLast() + #","x":[]}"#] {
                let answer = try await Self.act("POST", "/grants", other, key: "k1", server)
                #expect(answer.status == 422 && answer.code == "idempotency_key_reused", "\(other)")
            }
            let status = try await server.send("GET", "/api/iap/apple/status").json
            #expect(status["entitlements"]?.elements?.map { $0["external_id"]?.string } == [id])
            #expect(status["expires_at"]?.string == "2026-02-14T12:00:00Z")

            server.wait(hours: 1)
            let revoked = try await Self.act("POST", "/grants/\(id)/revoke", #"{"reason":"slip"}"#, key: "k2", server)
            #expect(
                revoked.body
                    == #"{"id":"\#(id)","revoked_at":"2026-01-15T13:00:00Z","revoked_at_ms":1768482000000}"#)
            #expect(try await server.send("GET", "/api/iap/apple/status").json["active"]?.flag == false)
            server.wait(hours: 1)
            let repeated = try await Self.act("POST", "/grants/\(id)/revoke", #"{"reason":"slip"}"#, key: "k3", server)
            #expect(repeated.body == revoked.body)
        }
    }

    @Test func `everything else is given that can be given`() async throws {
        try await TestServer.run { server in
            for (body, member, value) in [
                (
                    #"{"kind":"until","tier":"pro","until":"2026-03-01T00:00:00Z",\#(Self.why)}"#, "until",
                    "2026-03-01T00:00:00Z"
                ),
                (#"{"kind":"add_on","product_id":"addon",\#(Self.why)}"#, "app", "com.example.app"),
                (
                    #"{"kind":"credits","unit":"credit","amount":5,"expires_at":"2026-03-01T00:00:00Z",\#(Self.why)}"#,
                    "expires_at", "2026-03-01T00:00:00Z"
                ),
            ] {
                let answer = try await Self.act("POST", "/grants", body, key: member, server)
                #expect(try answer.status == 201 && answer.json[member]?.string == value, "\(answer.body)")
            }
            let status = try await server.send("GET", "/api/iap/apple/status").json
            #expect(status["expires_at"]?.string == "2026-03-01T00:00:00Z")
            #expect(status["add_ons"]?.elements?.count == 1)
            #expect(status["credits"]?.elements?.first?["spendable"]?.integer == "5")
        }
    }

    @Test func `a grant is refused`() async throws {
        try await TestServer.run { server in
            func refused(
                _ status: Int, _ code: String, _ members: String, at pointer: String? = nil,
                sourceLocation: SourceLocation = #_sourceLocation
            ) async throws {
                try await Self.expectRefusal(
                    status, code, "/grants", "{\(members),\(Self.why)}", at: pointer, server,
                    sourceLocation: sourceLocation)
            }
            try await refused(404, "unknown_tier", #""kind":"add_days","tier":"gold","days":1"#)
            try await refused(404, "unknown_product", #""kind":"add_on","product_id":"gold""#)
            try await refused(422, "not_an_add_on", #""kind":"add_on","product_id":"credits""#)
            try await refused(404, "unknown_unit", #""kind":"credits","unit":"gold","amount":1"#)
            try await refused(
                400, "invalid_request", #""kind":"add_days","tier":"pro","days":99999999"#, at: "#/days")
            try await refused(
                400, "invalid_request", #""kind":"credits","unit":"credit","amount":9999999999999999"#, at: "#/amount")
            for (members, limit) in [
                (#""kind":"add_days","tier":"pro","days":0"#, 36_500),
                (#""kind":"credits","unit":"credit","amount":0"#, 1_000_000_000),
            ] {
                let answer = try await Self.act("POST", "/grants", "{\(members),\(Self.why)}", key: "limits", server)
                #expect(try answer.json["detail"]?.string == "The member must be a whole number from 1 to \(limit).")
            }
            try await refused(
                400, "invalid_request", #""kind":"until","tier":"pro","until":"2026-01-15T12:00:00Z""#, at: "#/until")
            try await refused(
                400, "invalid_request",
                #""kind":"credits","unit":"credit","amount":1,"expires_at":"2020-01-01T00:00:00Z""#, at: "#/expires_at")
            for (members, pointer) in [
                (#""kind":"gold""#, "#/kind"), (#""kind":null"#, "#/kind"), (#""kind":"add_days","days":1"#, "#/tier"),
                (#""kind":"add_days","tier":"pro""#, "#/days"),
                (#""kind":"add_days","tier":"pro","days":0"#, "#/days"),
                (#""kind":"until","tier":"pro","until":"soon""#, "#/until"),
                (#""kind":"until","tier":"pro","until":5"#, "#/until"), (#""kind":"add_on""#, "#/product_id"),
            ] { try await refused(400, "invalid_request", members, at: pointer) }
            let days = #""kind":"add_days","tier":"pro","days":1"#
            for (body, pointer) in [
                (#"{\#(days),"reference":"t"}"#, "#/reason"), (#"{\#(days),"reason":"r"}"#, "#/reference"),
                (#"{\#(days),"reason":"","reference":"t"}"#, "#/reason"), ("[]", "#"),
            ] { try await Self.expectRefusal(400, "invalid_request", "/grants", body, at: pointer, server) }
            try await Self.expectRefusal(404, "unknown_grant", "/grants/g1/revoke", #"{"reason":"r"}"#, server)
            try await Self.expectRefusal(
                400, "invalid_request", "/grants/g1/revoke", "{}", at: "#/reason", server)
            #expect(
                try await Self.act("POST", "/grants", "{\(days),\(Self.why)}", key: "refused", server).status == 201)
        }
    }

    @Test func `a purchase goes to somebody new`() async throws {
        try await TestServer.run { server in
            try await server.sell("pass.30d", as: "p1", .pass)
            try await server.sell("addon", as: "p1", .addOn, in: .sandbox)
            let to = #""to_user_id":"u2","reason":"asked""#
            try await Self.expectRefusal(
                422, "ambiguous_purchase", "/transfer", #"{"external_id":"p1",\#(to)}"#, server)
            for name in [#""external_id":"p2""#, #""external_id":"p1","source":"vouchers""#] {
                try await Self.expectRefusal(404, "unknown_purchase", "/transfer", "{\(name),\(to)}", server)
            }
            try await Self.expectRefusal(
                422, "same_user", "/transfer", #"{"all":true,"to_user_id":"u1","reason":"r"}"#, server)
            for (body, pointer) in [
                (#"{"external_id":"p1","reason":"r"}"#, "#/to_user_id"),
                (#"{"external_id":"p1","to_user_id":"-","reason":"r"}"#, "#/to_user_id"),
                (#"{"external_id":"p1","to_user_id":"u2"}"#, "#/reason"), (#"{\#(to)}"#, "#/external_id"),
                (#"{"all":1,\#(to)}"#, "#/all"), (#"{"external_id":"p1","source":"",\#(to)}"#, "#/source"),
                (#"{"external_id":"p1","source":1,\#(to)}"#, "#/source"),
            ] { try await Self.expectRefusal(400, "invalid_request", "/transfer", body, at: pointer, server) }
            let moved = try await Self.act(
                "POST", "/transfer", #"{"external_id":"p1","environment":"Production",\#(to)}"#, key: "k1", server)
            #expect(
                moved.body
                    == #"{"to_user_id":"u2","transferred":[{"source":"apple_iap","external_id":"p1","#
                    + #""environment":"Production"}]}"#)
            let theirs = try await server.send("GET", "/api/iap/apple/status", token: Fixture.token(of: "u2")).json
            #expect(theirs["active"]?.flag == true)
            #expect(try await server.send("GET", "/api/iap/apple/status").json["active"]?.flag == false)
        }
    }

    @Test func `everything goes, or one purchase, and never both by one request`() async throws {
        try await TestServer.run { server in
            try await server.sell("pass.30d", as: "p1", .pass)
            try await server.sell("addon", as: "p2", .addOn)
            let to = #""to_user_id":"u2","reason":"asked""#
            for (members, pointer) in [
                (#""external_id":"p1""#, "#/external_id"), (#""external_id":7"#, "#/external_id"),
                (#""source":"apple_iap""#, "#/source"), (#""environment":"Sandbox""#, "#/environment"),
            ] {
                try await Self.expectRefusal(
                    400, "invalid_request", "/transfer", #"{\#(members),"all":true,\#(to)}"#, at: pointer, server)
            }
            #expect(try await server.audited.isEmpty)
            let one = #"{"external_id":"p1","all":false,\#(to)}"#
            #expect(try await Self.act("POST", "/transfer", one, key: "k1", server).body.contains(#""p1""#))
            let rest = #"{"external_id":null,"all":true,\#(to)}"#
            #expect(try await Self.act("POST", "/transfer", rest, key: "k2", server).body.contains(#""p2""#))
        }
    }

    @Test func `a purchase is taken back by its name, and a repeat answers alike`() async throws {
        try await TestServer.run { server in
            try await server.sell("pass.30d", as: "p1", .pass)
            try await server.sell("addon", as: "p1", .addOn, in: .sandbox)
            try await server.sell("pass.30d", as: "p2", .pass, to: "u2")
            let why = #""reason":"a chargeback""#
            try await Self.expectRefusal(
                422, "ambiguous_purchase", "/revoke", #"{"external_id":"p1",\#(why)}"#, server)
            for id in ["p2", "p3"] {
                try await Self.expectRefusal(
                    404, "unknown_purchase", "/revoke", #"{"external_id":"\#(id)",\#(why)}"#, server)
            }
            for (body, pointer) in [
                (#"{"external_id":"p1"}"#, "#/reason"), (#"{\#(why)}"#, "#/external_id"), ("[]", "#"),
                (#"{"external_id":"p1","environment":"Xcode",\#(why)}"#, "#/environment"),
                (#"{"external_id":7,\#(why)}"#, "#/external_id"),
            ] { try await Self.expectRefusal(400, "invalid_request", "/revoke", body, at: pointer, server) }
            let body = #"{"external_id":"p1","environment":"Production",\#(why)}"#
            try await server.grant(.addDays(30, of: TierID("pro")), as: "g1", to: "u3")
            let grant = try await server.send(
                "POST", "/api/admin/users/u3/revoke", #"{"external_id":"g1",\#(why)}"#,
                token: Fixture.apiKey(.write), fields: [("Idempotency-Key", "k0")])
            #expect(grant.body.hasPrefix(#"{"source":"manual","app":null,"#), "\(grant.body)")
            let revoked = try await Self.act("POST", "/revoke", body, key: "k1", server)
            #expect(
                revoked.body
                    == #"{"source":"apple_iap","app":"com.example.app","environment":"Production","external_id":"p1","#
                    + #""revoked_at":"2026-01-15T12:00:00Z","revoked_at_ms":1768478400000,"takes_renewals":false}"#)
            server.wait(hours: 1)
            let again = try await Self.act("POST", "/revoke", body, key: "k2", server)
            #expect(again.status == 200 && again.body == revoked.body)
            #expect(try await server.send("GET", "/api/iap/apple/status").json["active"]?.flag == false)
        }
    }

    @Test func `a guest is merged`() async throws {
        try await TestServer.run { server in
            try await server.sell("pass.30d", as: "p1", .pass, to: "guest")
            for (guest, status, code) in [("nobody", 404, "unknown_guest"), ("u1", 422, "same_user")] {
                try await Self.expectRefusal(
                    status, code, "/merge", #"{"from_user_id":"\#(guest)","reason":"r"}"#, server)
            }
            let body = #"{"from_user_id":"guest","reason":"signed up"}"#
            let merged = try await Self.act("POST", "/merge", body, key: "k1", server)
            #expect(merged.status == 200 && merged.body.contains(#""external_id":"p1""#))
            #expect(try await server.send("GET", "/api/iap/apple/status").json["active"]?.flag == true)
            let again = try await Self.act("POST", "/merge", body, key: "k2", server)
            #expect(again.body == #"{"to_user_id":"u1","transferred":[]}"#)
        }
    }

    @Test func `testers are named and unnamed`() async throws {
        try await TestServer.run { server in
            for (method, holds) in [("PUT", true), ("PUT", true), ("DELETE", false)] {
                let answer = try await Self.act(
                    method, "/sandbox-tester", key: "\(method) \(holds)".filter { $0 != " " }, server)
                #expect(answer.status == 200 && answer.body == #"{"sandbox_tester":\#(holds)}"#)
            }
            let refused = try await Self.act("PUT", "/sandbox-tester", #"{"reason":""}"#, key: "k", server)
            #expect(refused.status == 400)
        }
    }

    @Test func `servers do what users do for them`() async throws {
        try await TestServer.run(usersMaySpend: false) { server in
            try await server.sellCredits()
            try await server.grant(.addDays(30, of: TierID("pro")), as: "g1")
            let body = #"{"amount":60,"reference":"order 1"}"#
            let spent = try await Self.act("POST", "/credits/credit/spend", body, key: "k1", server)
            #expect(spent.status == 200, "\(spent.body)")
            let again = try await Self.act("POST", "/credits/credit/spend", body, key: "k1", server)
            #expect(again.body == spent.body && again.headers.first(name: "idempotency-replayed") == "true")
            let held = try await Self.act(
                "POST", "/credits/credit/reservations", #"{"amount":5,"ttl_seconds":60}"#, key: "k2", server)
            let reservation = "/credits/reservations/" + (try held.json["reservation_id"]?.string ?? "")
            #expect(try await Self.act("POST", reservation + "/commit", key: "k3", server).status == 200)
            let twice = try await Self.act("POST", reservation + "/release", key: "k4", server)
            #expect(twice.status == 409 && twice.code == "already_committed")

            let device = #"{"device_id":"d1"}"#
            #expect(try await Self.act("POST", "/devices", device, key: "k5", server).status == 201)
            for (key, path) in [("k6", "suspend"), ("k7", "reactivate"), ("k8", "seen")] {
                #expect(try await Self.act("POST", "/devices/d1/" + path, key: key, server).status == 200)
            }
            for _ in 1...2 {
                let removed = try await Self.act("DELETE", "/devices/d1", key: "k9", server)
                #expect(removed.status == 204 && removed.body.isEmpty)
            }
            for path in ["/credits", "/devices", "/devices/license/status"] {
                let answer = try await server.send("GET", Self.user + path, token: Fixture.apiKey(.read))
                let own = try await server.send("GET", "/api" + path)
                #expect(answer.status == 200 && answer.body == own.body)
            }
        }
    }

    @Test func `the timeline names the server behind what was done to a device, and nobody behind the user's own acts`()
        async throws
    {
        try await TestServer.run { server in
            try await server.grant(.addDays(30, of: TierID("pro")), as: "g1")
            let device = #"{"device_id":"d1"}"#
            let acts = [
                ("POST", "", device), ("POST", "/d1/suspend", "{}"), ("POST", "/d1/reactivate", "{}"),
                ("POST", "/d1/seen", "{}"), ("DELETE", "/d1", "{}"),
            ]
            for (number, (method, path, body)) in acts.enumerated() {
                server.wait(hours: 2)
                let done = try await Self.act(method, "/devices" + path, body, key: "k\(number)", server)
                #expect((200..<300).contains(done.status), "\(path)")
                let told = try await Self.newest(server)
                #expect(told?["kind"]?.string == "device" && told?["actor"]?.string == "api_key:1 write", "\(path)")
                #expect(told?["reason"]?.isNull == true && told?["reference"]?.isNull == true)
            }
            for (method, path, body) in acts {
                server.wait(hours: 2)
                let done = try await server.send(method, "/api/devices" + path, body)
                #expect((200..<300).contains(done.status), "\(path)")
                let told = try await Self.newest(server)
                #expect(told?["kind"]?.string == "device" && told?["actor"]?.isNull == true, "\(path)")
            }
        }
    }

    /// What the timeline tells first.
    private static func newest(_ server: TestServer) async throws -> JSONValue? {
        try await server.send("GET", user + "/timeline?limit=1", token: Fixture.apiKey(.read))
            .json["data"]?.elements?.first
    }

    @Test func `the timeline tells every kind of fact`() async throws {
        try await TestServer.run { server in
            try await server.sellCredits()
            try await server.grant(.addDays(30, of: TierID("pro")), as: "g1")
            _ = try await Self.act(
                "POST", "/credits/credit/spend", #"{"amount":60,"reference":"order 1"}"#, key: "k1", server)
            _ = try await server.send("POST", "/api/devices", #"{"device_id":"d1"}"#)
            _ = try await server.send("PUT", "/api/iap/apple/consumption-consent", #"{"consented":true}"#)
            _ = try await Self.act("PUT", "/sandbox-tester", #"{"reason":"tests"}"#, key: "k2", server)
            _ = try await Self.act(
                "POST", "/transfer", #"{"all":true,"to_user_id":"u2","reason":"r"}"#, key: "k3", server)
            var (path, texts, page) = (Self.user + "/timeline?limit=4", [String](), 0)
            while page < 5 {
                let json = try await server.send("GET", path, token: Fixture.apiKey(.read)).json
                texts += json["data"]?.elements?.compactMap { $0["text"]?.string } ?? []
                page += 1
                guard let cursor = json["next_cursor"]?.string else { break }
                path = Self.user + "/timeline?limit=4&cursor=" + cursor
            }
            #expect(page == 3)
            #expect(
                texts == [
                    "The rest of grant g1 went to another user, by an operator.",
                    "The rest of purchase c1 went to another user with 40 units, by an operator.",
                    "The user was put on the list of sandbox testers.",
                    "The user allowed to tell Apple about their consumption.", "Device d1 was registered.",
                    "60 of credit were spent.", "Grant g1 became the user's.",
                    "An operator gave 30 days of pro.", "Purchase c1 became the user's.",
                    "Transaction c1 of credits was shown as bought on 2026-01-15T12:00:00Z and not taken back.",
                ])
            let first = try await server.send(
                "GET", Self.user + "/timeline?limit=1", token: Fixture.apiKey(.read)
            ).json["data"]?.elements?.first
            #expect(first?["kind"]?.string == "gave_away" && first?["reason"]?.string == "r")
            #expect(first?["actor"]?.string == "api_key:1 write")
            for name in ["effective_at", "effective_at_ms", "recorded_at", "recorded_at_ms"] {
                #expect(first?[name] != nil)
            }
        }
    }
}

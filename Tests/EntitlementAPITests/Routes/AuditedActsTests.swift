import AppStore
import Entitlements
import HTTPTypes
import LedgerStore
import MariaDB
import NIOHTTP1
import StrictJSON
import Support
import Synchronization
import Testing

@testable import EntitlementAPI

/// What a server does to a user is told to the audit trail once; what users do themselves is not.
struct AuditedActsTests {
    private static let user = "/api/admin/users/u1"
    private static let device = #"{"device_id":"d1"}"#
    private static let spend = #"{"amount":6,"reference":"order 1"}"#

    /// Method, path, body and, where it changes something, the action; in this order.
    private static let acts: [(String, String, String?, String)] = [
        ("POST", "/credits/credit/spend", spend, "credits.spend"),
        ("POST", "/devices", device, "device.register"),
        ("POST", "/devices/d1/suspend", nil, "device.suspend"),
        ("POST", "/devices/d1/reactivate", nil, "device.reactivate"),
        ("POST", "/devices/d1/seen", nil, "device.see"),
        ("DELETE", "/devices/d1", nil, "device.remove"),
        ("POST", "/grants/g1/revoke", #"{"reason":"r"}"#, "grant.revoke"),
        ("POST", "/revoke", #"{"external_id":"c1","reason":"r"}"#, "purchase.revoke"),
        ("PUT", "/sandbox-tester", #"{"reason":"r"}"#, "sandbox_tester.name"),
        ("DELETE", "/sandbox-tester", #"{"reason":"r"}"#, "sandbox_tester.unname"),
        ("POST", "/merge", #"{"from_user_id":"guest","reason":"r"}"#, "user.merge"),
        ("POST", "/transfer", #"{"all":true,"to_user_id":"u2","reason":"r"}"#, "user.transfer"),
    ]

    private static func act(
        _ method: String, _ path: String, _ body: String? = nil, key: String, _ server: TestServer
    ) async throws -> TestServer.Answer {
        try await server.send(
            method, user + path, body, token: Fixture.apiKey(.write), fields: [("Idempotency-Key", key)])
    }

    /// The details of an entry of the trail.
    private static func details(of entry: JSONValue?) -> [String: String] {
        Dictionary(uniqueKeysWithValues: (entry?["details"]?.members ?? []).map { ($0.name, $0.value.string ?? "") })
    }

    private static func open(_ body: @Sendable (TestServer) async throws -> Void) async throws {
        try await TestServer.run { server in
            try await server.sellCredits()
            try await server.sell("pass.30d", as: "p1", .pass, to: "guest")
            try await server.grant(.addDays(30, of: TierID("pro")), as: "g1")
            try await body(server)
        }
    }

    @Test func `every write is told once, and its repeat not again`() async throws {
        try await Self.open { server in
            for (number, (method, path, body, action)) in Self.acts.enumerated() {
                // Nothing is seen twice on the same day.
                server.wait(hours: 25)
                for _ in 1...2 {
                    let answer = try await Self.act(method, path, body, key: "k\(number)", server)
                    #expect((200..<300).contains(answer.status), "\(path): \(answer.body)")
                }
                let told = try await server.audited
                #expect(told.count == number + 1, "\(path)")
                let last = told.last
                #expect(last?["action"]?.string == action && last?["actor"]?.string == "api_key:1 write")
                #expect(last?["user_id"]?.string == "u1")
                #expect(last?["reason"]?.string == (body?.contains("reason") == true ? "r" : nil), "\(path)")
            }
            let told = try await server.audited
            var others: [String] = []
            for user in ["guest", "u2"] {
                others.append(
                    String(
                        try await server.open.schema.number(
                            "SELECT pseudonym FROM users WHERE user_id = ?", [.text(user)])))
            }
            #expect(told.suffix(2).map { $0["other_pseudonym"]?.string } == others)
            #expect(
                Self.details(of: told.first { $0["action"]?.string == AuditAction.withdrawPurchase.text })
                    == [
                        "source": "apple_iap", "app": Fixture.app.text, "environment": "Production",
                        "external_id": "c1",
                    ])
            #expect(Self.details(of: told.first) == ["unit": "credit", "amount": "6", "reference": "order 1"])
        }
    }

    @Test func `a grant and a reservation are told by their names`() async throws {
        try await Self.open { server in
            let body = #"{"kind":"add_days","tier":"pro","days":3,"reason":"r","reference":"t1"}"#
            let grant = try await Self.act("POST", "/grants", body, key: "k1", server).json["id"]?.string ?? ""
            for (key, path) in [("k2", "commit"), ("k3", "release")] {
                let held = try await Self.act(
                    "POST", "/credits/credit/reservations", #"{"amount":5,"ttl_seconds":60}"#, key: key, server)
                let id = try held.json["reservation_id"]?.string ?? ""
                let answer = try await Self.act("POST", "/credits/reservations/\(id)/\(path)", key: path, server)
                #expect(answer.status == 200)
                let told = try await server.audited.suffix(2)
                #expect(told.map { $0["action"]?.string } == ["credits.reserve", "reservation." + path])
                #expect(told.allSatisfy { Self.details(of: $0)["reservation_id"] == id })
            }
            let first = try await server.audited.first
            #expect(first?["action"]?.string == "grant.give")
            #expect(
                Self.details(of: first) == [
                    "grant_id": grant, "reference": "t1", "kind": "add_days", "tier": "pro", "days": "3",
                ])
        }
    }

    @Test func `the trail says of each grant what was given`() async throws {
        try await Self.open { server in
            for (number, given) in [
                ["kind": "until", "tier": "pro", "until": "2026-02-01T00:00:00Z"],
                ["kind": "add_on", "product_id": "addon"],
                ["kind": "credits", "unit": "credit", "amount": "5", "expires_at": "2026-02-01T00:00:00Z"],
            ].enumerated() {
                let members = given.map { #""\#($0)":\#($0 == "amount" ? $1 : #""\#($1)""#)"# }
                let body = "{" + (members + [#""reason":"r","reference":"t1""#]).joined(separator: ",") + "}"
                let id = try await Self.act("POST", "/grants", body, key: "k\(number)", server).json["id"]?.string ?? ""
                let told = Self.details(of: try await server.audited.last)
                #expect(told == given.merging(["grant_id": id, "reference": "t1"]) { first, _ in first })
            }
        }
    }

    @Test func `a reason may stand with every act, and is told to the trail and to the timeline`() async throws {
        try await Self.open { server in
            let held = try await Self.reserved(2, server)
            for (number, (method, path, members, action)) in [
                ("POST", "/credits/credit/spend", #""amount":6,"reference":"order 1","#, "credits.spend"),
                ("POST", "/credits/credit/reservations", #""amount":5,"ttl_seconds":60,"#, "credits.reserve"),
                ("POST", "/credits/reservations/\(held[0])/commit", "", "reservation.commit"),
                ("POST", "/credits/reservations/\(held[1])/release", "", "reservation.release"),
                ("POST", "/devices", #""device_id":"d1","#, "device.register"),
                ("POST", "/devices/d1/suspend", "", "device.suspend"),
                ("POST", "/devices/d1/reactivate", "", "device.reactivate"),
                ("POST", "/devices/d1/seen", "", "device.see"), ("DELETE", "/devices/d1", "", "device.remove"),
                ("PUT", "/sandbox-tester", "", "sandbox_tester.name"),
                ("DELETE", "/sandbox-tester", "", "sandbox_tester.unname"),
            ].enumerated() {
                for wrong in [#""""#, "5", #""\#(String(repeating: "r", count: 501))""#] {
                    try await server.expectRefusal(
                        400, "invalid_request", method, Self.user + path, #"{\#(members)"reason":\#(wrong)}"#,
                        at: "#/reason", fields: [("Idempotency-Key", "refused")], token: Fixture.apiKey(.write))
                }
                let body = #"{\#(members)"reason":"why \#(number)"}"#
                let done = try await Self.act(method, path, body, key: "because\(number)", server)
                #expect((200..<300).contains(done.status), "\(path): \(done.body)")
                let told = try await server.audited.last
                #expect(told?["action"]?.string == action && told?["reason"]?.string == "why \(number)", "\(path)")
                let newest = try await server.send(
                    "GET", Self.user + "/timeline?limit=1", token: Fixture.apiKey(.read)
                ).json["data"]?.elements?.first
                #expect(newest?["reason"]?.string == "why \(number)", "\(path)")
                server.wait(hours: path.hasPrefix("/devices") ? 25 : 0)
            }
            for path in ["/devices/d1/suspend", "/devices/d1/reactivate", "/devices/d1/seen"] {
                let answer = try await Self.act("POST", path, "[]", key: "k", server)
                #expect(answer.status == 400, "\(path)")
            }
        }
    }

    /// So many reservations of a server.
    private static func reserved(_ count: Int, _ server: TestServer) async throws -> [String] {
        var ids: [String] = []
        for number in 1...count {
            let held = try await act(
                "POST", "/credits/credit/reservations", #"{"amount":5,"ttl_seconds":600}"#, key: "h\(number)", server)
            ids.append(try held.json["reservation_id"]?.string ?? "")
        }
        return ids
    }

    @Test func `what a user calls a reason is no word of this API`() async throws {
        try await Self.open { server in
            let device = try await server.send("POST", "/api/devices", #"{"device_id":"d1","reason":5}"#)
            let seen = try await server.send("POST", "/api/devices/d1/suspend", "[]")
            let spent = try await server.send(
                "POST", "/api/credits/credit/spend", #"{"amount":6,"reference":"order 1","reason":5}"#,
                fields: [("Idempotency-Key", "k1")])
            #expect([device.status, seen.status, spent.status] == [201, 200, 200])
        }
    }

    @Test func `a refusal is not told`() async throws {
        try await Self.open { server in
            for (path, body) in [
                ("/credits/credit/spend", #"{"amount":99999,"reference":"order 1"}"#),
                ("/credits/credit/reservations", #"{"amount":99999,"ttl_seconds":60}"#),
                ("/credits/reservations/none/commit", nil), ("/credits/reservations/none/release", nil),
                ("/devices/none/suspend", nil), ("/devices/none/reactivate", nil), ("/devices/none/seen", nil),
                ("/grants", #"{"kind":"add_days","tier":"gold","days":1,"reason":"r","reference":"t"}"#),
                ("/grants/none/revoke", #"{"reason":"r"}"#),
                ("/revoke", #"{"external_id":"none","reason":"r"}"#),
                ("/transfer", #"{"external_id":"none","to_user_id":"u2","reason":"r"}"#),
                ("/merge", #"{"from_user_id":"nobody","reason":"r"}"#),
            ] {
                let answer = try await Self.act("POST", path, body, key: "refused", server)
                #expect(answer.status >= 400, "\(path)")
            }
            #expect(try await Self.act("DELETE", "/devices/none", key: "k", server).status == 404)
            #expect(try await server.audited.isEmpty)
        }
    }

    @Test func `what users do themselves is not told`() async throws {
        try await Self.open { server in
            let spent = try await server.send(
                "POST", "/api/credits/credit/spend", Self.spend, fields: [("Idempotency-Key", "k1")])
            let device = try await server.send("POST", "/api/devices", Self.device)
            let consent = try await server.send("PUT", "/api/iap/apple/consumption-consent", #"{"consented":true}"#)
            #expect([spent.status, device.status, consent.status] == [200, 201, 200])
            #expect(try await server.audited.isEmpty)
        }
    }
}

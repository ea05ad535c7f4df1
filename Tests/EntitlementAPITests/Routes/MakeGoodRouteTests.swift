import AppStore
import Entitlements
import LedgerStore
import StrictJSON
import Synchronization
import Testing

@testable import EntitlementAPI

/// Passes that had run out before they were attached: listed, and made good.
struct MakeGoodRouteTests {
    private static let list = "/api/admin/ended-before-attached"
    private static let path = "/api/admin/users/u1/make-good"

    private static func body(_ id: String, _ more: String = "") -> String {
        #"{"external_id":"\#(id)"\#(more),"reason":"sorry","reference":"t1"}"#
    }

    private static func key(_ id: String, in environment: StoreEnvironment = .production) -> PurchaseKey {
        PurchaseKey(source: .appleIAP, app: Fixture.app, environment: environment, externalID: ExternalID(id))
    }

    /// `old` and `older` had ended; `new`, which the tables name too, has not.
    private static func open(_ body: @Sendable (TestServer) async throws -> Void) async throws {
        try await TestServer.run { server in
            try await server.sellBefore(days: 40, as: "old")
            try await server.sellBefore(days: 90, as: "older")
            try await server.sellBefore(days: 1, as: "new")
            try await body(server)
        }
    }

    private static func makeGood(_ body: String, key: String, _ server: TestServer) async throws -> TestServer.Answer {
        try await server.send(
            "POST", path, body, token: Fixture.apiKey(.write), fields: [("Idempotency-Key", key)])
    }

    @Test func `what had ended is listed and made good once`() async throws {
        try await Self.open { server in
            let token = Fixture.apiKey(.read)
            let before = try await server.send("GET", Self.list, token: token)
            let rows = try before.json["data"]?.elements ?? []
            #expect(rows.map { $0["external_id"]?.string } == ["older", "old"], "\(before.body)")
            #expect(rows.allSatisfy { $0["made_good_by"]?.isNull == true && $0["user_id"]?.string == "u1" })
            #expect(rows.last?["ended_at"]?.string == "2026-01-05T12:00:00Z")
            #expect(rows.last?["attached_at"]?.string == "2026-01-15T12:00:00Z")

            let good = try await Self.makeGood(Self.body("old"), key: "k1", server)
            let id = try good.json["id"]?.string ?? ""
            #expect(try good.status == 201 && good.json["days"]?.integer == "30" && id.count == 22, "\(good.body)")
            let again = try await Self.makeGood(Self.body("old", #","source":"apple_iap""#), key: "k2", server)
            #expect(again.body == good.body)
            let status = try await server.send("GET", "/api/iap/apple/status").json
            #expect(status["expires_at"]?.string == "2026-03-15T12:00:00Z")
            let after = try await server.send("GET", Self.list, token: token).json["data"]?.elements ?? []
            #expect(after.last?["made_good_by"]?.string == id && after.first?["made_good_by"]?.isNull == true)
            var (paged, cursor): ([String?], String?) = ([], "")
            while let place = cursor {
                let query = place.isEmpty ? "?limit=1" : "?limit=1&cursor=" + place
                let page = try await server.send("GET", Self.list + query, token: token).json
                paged += page["data"]?.elements?.map { $0["external_id"]?.string } ?? []
                cursor = page["next_cursor"]?.string
            }
            #expect(paged == ["older", "old"])
        }
    }

    @Test func `nothing else is made good`() async throws {
        try await Self.open { server in
            try await server.sellBefore(days: 40, as: "old", in: .sandbox)
            for (status, code, body, pointer) in [
                (404, "unknown_purchase", Self.body("none"), nil),
                (404, "unknown_purchase", Self.body("old", #","source":"stripe""#), nil),
                (409, "not_ended_before_attached", Self.body("new"), nil),
                (422, "ambiguous_purchase", Self.body("old"), nil),
                (400, "invalid_request", #"{"reason":"r","reference":"t"}"#, "#/external_id"),
                (400, "invalid_request", #"{"external_id":"old","reference":"t"}"#, "#/reason"),
                (400, "invalid_request", #"{"external_id":"old","reason":"r"}"#, "#/reference"),
                (400, "invalid_request", Self.body("old", #","environment":"Xcode""#), "#/environment"),
            ] as [(Int, String, String, String?)] {
                try await server.expectRefusal(
                    status, code, "POST", Self.path, body, at: pointer, fields: [("Idempotency-Key", "k")],
                    token: Fixture.apiKey(.write))
            }
            var both: Set<String?> = []
            for environment in ["Production", "Sandbox"] {
                let body = Self.body("old", #","environment":"\#(environment)""#)
                both.insert(try await Self.makeGood(body, key: environment, server).json["id"]?.string)
            }
            #expect(both.count == 2)
        }
    }
}

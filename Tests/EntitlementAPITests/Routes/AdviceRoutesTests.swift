import AppStore
import Entitlements
import LedgerStore
import NIOHTTP1
import StrictJSON
import Support
import Synchronization
import Testing

@testable import EntitlementAPI

struct AdviceRoutesTests {
    private static let planChange = "/api/billing/plan-change"

    /// What an explanation says of one purchase.
    private struct Explained {
        let reason: String?
        let facts: [String]
    }

    /// What the explanation of a user's one purchase says.
    private static func explained(_ user: String, _ server: TestServer) async throws -> Explained {
        let path = "/api/iap/apple/status?explain=1"
        let status = try await server.send("GET", path, token: Fixture.token(of: user)).json
        let entry = status["explanation"]?.elements?.first
        let facts = entry?["facts"]?.elements?.compactMap { $0["kind"]?.string } ?? []
        return Explained(reason: entry?["reason"]?.string, facts: facts)
    }

    @Test func `a change of plan names the devices to release`() async throws {
        try await TestServer.run { server in
            let subscribe = try await server.send("GET", Self.planChange + "?plan_id=monthly_1")
            #expect(
                subscribe.body
                    == #"{"action":"subscribe","allowed":true,"current_devices":0,"target_devices":1,"#
                    + #""active_devices":0,"devices_to_release":[],"message":"Subscribe to use up to 1 device."}"#)
            try await server.grant(.addDays(30, of: TierID("pro")), as: "g1")
            for id in ["a", "b"] { _ = try await server.send("POST", "/api/devices", #"{"device_id":"\#(id)"}"#) }
            func action(_ query: String) async throws -> String? {
                try await server.send("GET", Self.planChange + query).json["action"]?.string
            }
            #expect(try await action("?product_id=pass.30d") == "current")
            #expect(try await action("?plan_id=annual_9") == "upgrade")
            let down = try await server.send("GET", Self.planChange + "?plan_id=monthly_1").json
            #expect(down["action"]?.string == "downgrade" && down["allowed"]?.flag == false)
            #expect(down["devices_to_release"]?.elements?.map { $0.string } == ["b"])
            #expect(try await action("?product_id=annual3") == "downgrade")
        }
    }

    @Test func `a change of plan speaks the client's language`() async throws {
        try await TestServer.run { server in
            let path = Self.planChange + "?plan_id=monthly_2"
            for (field, language, text) in [
                ("it-IT, en;q=0.5", "it", "Abbonati per usare fino a 2 dispositivi."),
                ("fr", "en", "Subscribe to use up to 2 devices."),
            ] {
                let answer = try await server.send("GET", path, fields: [("Accept-Language", field)])
                #expect(try answer.json["message"]?.string == text)
                #expect(answer.headers.first(name: "content-language") == language)
                #expect(answer.headers.first(name: "vary") == "Authorization, Accept-Language, Origin")
            }
        }
    }

    @Test func `a change of plan is refused`() async throws {
        try await TestServer.run { server in
            for (query, pointer) in [
                ("", "?plan_id"), ("?plan_id=annual_3&product_id=annual3", "?product_id"),
                ("?plan_id=a&plan_id=b", "?plan_id"),
            ] {
                try await server.expectRefusal(400, "invalid_request", "GET", Self.planChange + query, at: pointer)
            }
            for query in ["?plan_id=gold", "?plan_id=", "?product_id=credits", "?product_id=nothing"] {
                try await server.expectRefusal(404, "not_found", "GET", Self.planChange + query)
            }
            try await server.expectRefusal(
                401, "unauthenticated", "GET", Self.planChange + "?plan_id=annual_3", token: nil)
        }
    }

    @Test func `consent is what was said last`() async throws {
        try await TestServer.run { server in
            let path = "/api/iap/apple/consumption-consent"
            for consents in ["true", "true", "false"] {
                let answer = try await server.send("PUT", path, #"{"consented":\#(consents)}"#)
                #expect(answer.status == 200 && answer.body == #"{"consented":\#(consents)}"#)
            }
            let entries = try await server.ledger().entries.map(\.fact)
            #expect(entries == [.consumptionConsent(true), .consumptionConsent(false)])
            for body in [#"{}"#, #"{"consented":1}"#, #"{"consented":"true"}"#, #"{"consented":null}"#] {
                try await server.expectRefusal(400, "invalid_request", "PUT", path, body, at: "#/consented")
            }
            try await server.expectRefusal(400, "invalid_request", "PUT", path, "[true]", at: "#")
            try await server.expectRefusal(401, "unauthenticated", "PUT", path, "{}", token: nil)
        }
    }

    @Test func `what an operator gave is manual`() async throws {
        try await TestServer.run { server in
            try await server.grant(.addDays(30, of: TierID("pro")), as: "g1")
            try await server.grant(.addOn(ProductID("addon")), as: "g2")
            let status = try await server.send("GET", "/api/iap/apple/status?explain=1").json
            let entitlement = status["entitlements"]?.elements?.first
            #expect(entitlement?["source"]?.string == "manual" && entitlement?["external_id"]?.string == "g1")
            #expect(entitlement?["product_id"]?.isNull == true && entitlement?["state"]?.string == "running")
            #expect(status["add_ons"]?.elements?.first?["state"]?.string == "active")
            #expect(status["devices"]?["allowed"]?.integer == "7")
            let facts = status["explanation"]?.elements?.first?["facts"]?.elements ?? []
            #expect(facts.map { $0["kind"]?.string } == ["granted", "bound"])
            let check = try await server.send("GET", "/api/billing/subscriptions/check/u1").json
            #expect(check["provider"]?.string == "manual" && check["plan_id"]?.isNull == true)
            #expect(check["devices"]?.integer == "7" && check["manage_url"]?.isNull == true)
            let purchases = try await server.send("GET", "/api/iap/purchases").json["data"]?.elements ?? []
            #expect(purchases.map { $0["external_id"]?.string } == ["g1", "g2"])
            #expect(purchases.map { $0["product_id"]?.string } == [nil, "addon"])
            #expect(purchases.allSatisfy { $0["transaction_id"]?.isNull == true && $0["quantity"]?.integer == "1" })
        }
    }

    @Test func `what went to somebody else says so on both sides`() async throws {
        try await TestServer.run { server in
            try await server.sell("pass.30d", as: "p1", .pass)
            server.wait(hours: 24)
            let (giver, receiver) = (try Fixture.user("u1"), try Fixture.user("u2"))
            _ = try await server.open.store.ledger.record(for: [receiver], everythingOf: giver) {
                OperatorAct(on: giver, note: Note(actor: "ann", reason: "asked"))
                    .transfer(.all, to: receiver, given: $0, in: $1)
            }
            let given = try await Self.explained("u1", server)
            #expect(given.reason == "transferred" && given.facts == ["state", "bound", "gave_away"])
            let received = try await Self.explained("u2", server)
            #expect(received.reason == nil && received.facts == ["state", "received"])
            for user in ["u1", "u2"] {
                let page = try await server.send("GET", "/api/iap/purchases", token: Fixture.token(of: user)).json
                #expect(page["data"]?.elements?.map { $0["external_id"]?.string } == ["p1"])
            }
        }
    }
}

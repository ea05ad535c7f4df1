import Entitlements
import HTTPTypes
import LedgerStore
import NIOHTTP1
import StrictJSON
import Support
import Testing

@testable import EntitlementAPI

/// A preview that is asked for in the body of an act is refused, by whatever spelling, and nothing is done (`api.md`,
/// "Previews").
struct PreviewInBodyTests {
    private static let lookUp = "POST /api/admin/orders/look-up"

    /// The members of a body with which each act would be carried out, by the route's name.
    private static let bodies: [String: String] = [
        "POST /api/admin/users/{user_id}/credits/{unit}/spend": #""amount":6,"reference":"order""#,
        "POST /api/admin/users/{user_id}/credits/{unit}/reservations": #""amount":5,"ttl_seconds":600"#,
        "POST /api/admin/users/{user_id}/credits/reservations/{reservation_id}/commit": "",
        "POST /api/admin/users/{user_id}/credits/reservations/{reservation_id}/release": "",
        "POST /api/admin/users/{user_id}/devices": #""device_id":"d2""#,
        "POST /api/admin/users/{user_id}/devices/{device_id}/reactivate": "",
        "POST /api/admin/users/{user_id}/devices/{device_id}/suspend": "",
        "POST /api/admin/users/{user_id}/devices/{device_id}/seen": "",
        "DELETE /api/admin/users/{user_id}/devices/{device_id}": "",
        "POST /api/admin/users/{user_id}/grants":
            #""kind":"add_days","tier":"pro","days":3,"reason":"r","reference":"t""#,
        "POST /api/admin/users/{user_id}/grants/{grant_id}/revoke": #""reason":"r""#,
        "POST /api/admin/users/{user_id}/bind": #""external_id":"nobody's","reason":"r""#,
        "POST /api/admin/users/{user_id}/revoke": #""external_id":"p1","reason":"r""#,
        "POST /api/admin/users/{user_id}/transfer": #""external_id":"p1","to_user_id":"u2","reason":"r""#,
        "POST /api/admin/users/{user_id}/merge": #""from_user_id":"guest","reason":"r""#,
        "POST /api/admin/users/{user_id}/sign-out": #""reason":"r""#,
        "PUT /api/admin/users/{user_id}/sandbox-tester": #""reason":"r""#,
        "DELETE /api/admin/users/{user_id}/sandbox-tester": #""reason":"r""#,
        "POST /api/admin/users/{user_id}/erase": #""reason":"r""#,
        "POST /api/admin/users/{user_id}/make-good": #""external_id":"late","reason":"r","reference":"t""#,
        "POST /api/admin/compensations":
            #""from":"2026-01-15T12:00:00Z","to":"2026-01-15T12:30:00Z","add_hours":48,"reason":"r","reference":"t""#,
        lookUp: #""order_id":"MQ7HX2K4TN""#,
        "POST /api/admin/webhooks/{delivery_id}/replay": #""reason":"r""#,
        "POST /api/admin/jobs/{job_id}/revive": #""reason":"r""#,
        "POST /api/admin/api-keys": #""name":"shop","scopes":["read"]"#,
        "POST /api/admin/api-keys/{key_id}/revoke": #""reason":"r""#,
    ]

    /// The members that ask for a preview, each with its name. A value of any kind asks, as with an encoder that writes
    /// every member.
    private static let asking = [
        (#""dry_run":true"#, "dry_run"), (#""dryRun":true"#, "dryRun"), (#""dry-run":true"#, "dry-run"),
        (#""dryrun":1"#, "dryrun"), (#""DRY_RUN":"yes""#, "DRY_RUN"), (#""Dry-Run":{}"#, "Dry-Run"),
        (#""dry_run":false"#, "dry_run"), (#""dry_run":null"#, "dry_run"), (#""dry_r\u0075n":true"#, "dry_run"),
    ]

    /// A server on which every act can be carried out, and what stands for the parameters of the paths.
    private static func open(
        _ body: @Sendable (_ server: TestServer, _ parameters: [String: String]) async throws -> Void
    ) async throws {
        try await TestServer.run(asking: AppleShelf()) { server in
            try await server.sell("pass.30d", as: "p1", .pass)
            try await server.sell("pass.30d", as: "p2", .pass, to: "guest")
            try await server.sellBefore(days: 40, as: "late")
            try await server.sellCredits()
            try await server.grant(.addDays(30, of: TierID("pro")), as: "g1")
            try await server.open.sell(
                VerifiedPurchase(
                    key: PurchaseKey(
                        source: .appleIAP, app: Fixture.app, environment: .production,
                        externalID: ExternalID("nobody's")),
                    transactionID: TransactionID("nobody's"), productID: ProductID("pass.30d"), type: .pass,
                    purchasedAt: Fixture.now, signedAt: Fixture.now))
            for table in ["jobs", "inbox_deliveries"] {
                try await server.open.schema.rows("ALTER TABLE \(table) AUTO_INCREMENT = 1")
            }
            _ = try await server.open.store.inbox.receive(
                InboxDelivery(
                    source: .stripe, app: .cards, environment: .production, externalID: "evt_1",
                    type: "charge.refunded", subtype: nil, signedAt: Fixture.now, about: nil,
                    text: .body(Array("1".utf8)), contentDigest: [UInt8](repeating: 1, count: 32)))
            try await server.open.schema.rows(
                "UPDATE jobs SET attempts = 8, died_at = \(Fixture.now.milliseconds + 1000) WHERE subject = 1")
            server.wait(hours: 1)
            let user = "/api/admin/users/u1"
            let held = try await server.send(
                "POST", user + "/credits/credit/reservations", #"{"amount":5,"ttl_seconds":86400}"#,
                token: Fixture.apiKey(.write), fields: [("Idempotency-Key", "held")])
            let device = try await server.send(
                "POST", user + "/devices", #"{"device_id":"d1"}"#, token: Fixture.apiKey(.write),
                fields: [("Idempotency-Key", "device")])
            #expect(device.status == 201, "\(device.body)")
            try await body(
                server,
                [
                    "{user_id}": "u1", "{unit}": "credit", "{device_id}": "d1", "{grant_id}": "g1",
                    "{reservation_id}": try held.json["reservation_id"]?.string ?? "", "{delivery_id}": "1",
                    "{job_id}": "1", "{key_id}": "2",
                ])
        }
    }

    /// Every table, without the last uses of keys.
    private static func dump(_ server: TestServer) async throws -> [String: [[String]]] {
        var dump = try await server.open.schema.dump()
        dump["api_keys"] = try await server.open.schema.rows("SELECT id, name, scopes, revoked_at FROM api_keys")
        return dump.mapValues { $0.map { $0.map { "\($0)" } } }
    }

    private static func joined(_ members: [String]) -> String {
        "{" + members.filter { !$0.isEmpty }.joined(separator: ",") + "}"
    }

    @Test func `every act refuses a body that asks for a preview, and does nothing`() async throws {
        try await Self.open { server, parameters in
            let acts = Routes.all.filter { $0.path.hasPrefix("/api/admin/") && $0.method != .get }
            #expect(Set(acts.map(\.name)) == Set(Self.bodies.keys))
            let before = try await Self.dump(server)
            for act in acts {
                let members = try #require(Self.bodies[act.name], "\(act.name)")
                let path = parameters.reduce(act.path) { $0.replacing($1.key, with: $1.value) }
                func send(_ body: String, _ query: String = "") async throws -> TestServer.Answer {
                    // Each server may look an order up once a second.
                    server.clock.now = server.clock.now + 1_000
                    return try await server.send(
                        act.method.rawValue, path + query, body, token: Fixture.apiKey(.admin),
                        fields: [("Idempotency-Key", "k")])
                }
                let isPreviewed = act.name != Self.lookUp
                for (member, name) in Self.asking {
                    for body in [Self.joined([members, member]), Self.joined([member, members])] {
                        let answer = try await send(body)
                        #expect(answer.status == 400 && answer.code == "invalid_request", "\(act.name): \(answer.body)")
                        let error = try answer.json["errors"]?.elements?.first
                        #expect(error?["pointer"]?.string == "#/" + name, "\(act.name): \(answer.body)")
                        let sentence =
                            isPreviewed
                            ? "A preview is asked for with ?dry_run=1." : "This request has no preview: leave it out."
                        #expect(error?["detail"]?.string == sentence, "\(act.name): \(answer.body)")
                    }
                }
                if isPreviewed {
                    let both = try await send(Self.joined([members, #""dry_run":true"#]), "?dry_run=1")
                    #expect(both.status == 400, "\(act.name): \(both.body)")
                    let dry = try await send(Self.joined([members]), "?dry_run=1")
                    #expect(dry.status == 200, "without the member it would be done: \(act.name): \(dry.body)")
                }
                #expect(try await Self.dump(server) == before, "\(act.name)")
            }
        }
    }

    @Test func `a body in gzip asks for a preview like the same body in plain`() async throws {
        try await Self.open { server, _ in
            let before = try await Self.dump(server)
            let zipped = try #require(Gzip.encoded(Array(#"{"reason":"r","dry_run":true}"#.utf8)))
            let answer = try await server.send(
                "POST", "/api/admin/users/u1/erase", token: Fixture.apiKey(.admin),
                fields: [
                    ("Idempotency-Key", "k"), ("Content-Encoding", "gzip"), ("Content-Type", "application/json"),
                ], bytes: zipped)
            #expect(answer.status == 400 && answer.code == "invalid_request", "\(answer.body)")
            #expect(try await Self.dump(server) == before)
        }
    }

    @Test func `other members that name a run are ignored like any unknown member`() async throws {
        try await Self.open { server, _ in
            for member in [#""dry":true"#, #""run":true"#, #""dry_run_id":1"#, #""words":{"dry_run":true}"#] {
                let answer = try await server.send(
                    "PUT", "/api/admin/users/u1/sandbox-tester", #"{"reason":"r",\#(member)}"#,
                    token: Fixture.apiKey(.admin), fields: [("Idempotency-Key", member)])
                #expect(answer.status == 200, "\(answer.body)")
            }
        }
    }

    @Test func `an app's own request ignores it, as it has no preview`() async throws {
        try await Self.open { server, _ in
            let answer = try await server.send("POST", "/api/devices", #"{"device_id":"d3","dry_run":true}"#)
            #expect(answer.status == 201, "\(answer.body)")
        }
    }
}

import AppStore
import Entitlements
import LedgerStore
import MariaDB
import StrictJSON
import Support
import Synchronization
import Testing

@testable import EntitlementAPI

/// Making up for an outage.
struct CompensationRouteTests {
    private static let path = "/api/admin/compensations"
    private static let why = #""reference":"outage-1","reason":"sorry""#
    /// Half an hour from when the passes are sold.
    private static let outage = #""from":"2026-01-15T12:00:00Z","to":"2026-01-15T12:30:00Z","add_hours":48"#

    private static func run(
        _ members: String = outage, key: String, isDry: Bool = false, _ server: TestServer
    ) async throws -> TestServer.Answer {
        try await server.send(
            "POST", path + (isDry ? "?dry_run=1" : ""), "{\(members),\(why)}", token: Fixture.apiKey(.write),
            fields: [("Idempotency-Key", key)])
    }

    /// Five users, of whom `u1` and `u2` have a pass and the others a plan; an hour after it was sold.
    private static func open(_ body: @Sendable (TestServer) async throws -> Void) async throws {
        try await TestServer.run { server in
            try await server.sell("pass.30d", as: "1", .pass)
            try await server.sell("pass.30d", as: "2", .pass, to: "u2")
            for user in ["u3", "u4", "u5"] {
                let plan = VerifiedPurchase(
                    key: PurchaseKey(
                        source: .appleIAP, app: Fixture.app, environment: .production, externalID: ExternalID(user)),
                    transactionID: TransactionID(user), periodID: "1", productID: ProductID("annual3"), type: .plan,
                    purchasedAt: Fixture.now, expiresAt: Fixture.now + 30 * Instant.millisecondsPerDay,
                    signedAt: Fixture.now)
                try await server.open.sell(plan, to: try Fixture.user(user))
            }
            server.wait(hours: 1)
            try await body(server)
        }
    }

    private static func counts(_ answer: TestServer.Answer) throws -> [String?] {
        try ["given", "already_given", "not_affected"].map { try answer.json[$0]?.integer }
    }

    @Test func `who had a pass gets one of its tier, and a repeat gives nothing`() async throws {
        try await Self.open { server in
            let dry = try await Self.run(key: "dry", isDry: true, server)
            #expect(try dry.status == 200 && Self.counts(dry) == ["2", "0", "3"], "\(dry.body)")
            #expect(try dry.json["data"]?.elements?.map { $0["user_id"]?.string } == ["u1", "u2"])
            let before = try await server.send("GET", "/api/iap/apple/status").json
            #expect(before["expires_at"]?.string == "2026-02-14T12:00:00Z")

            let real = try await Self.run(key: "real", server)
            #expect(try Self.counts(real) == ["2", "0", "3"] && real.json["next_cursor"]?.isNull == true)
            #expect(real.body == dry.body.replacing(#""dry_run":true"#, with: #""dry_run":false"#))
            let first = try real.json["data"]?.elements?.first
            #expect(first?["tier"]?.string == "pro" && first?["hours"]?.integer == "48")
            let id = first?["id"]?.string ?? ""
            #expect(id.count == 22 && !id.contains("outage") && !id.contains("u1"))
            let after = try await server.send("GET", "/api/iap/apple/status").json
            #expect(after["expires_at"]?.string == "2026-02-16T12:00:00Z")

            let again = try await Self.run(key: "again", server)
            #expect(try Self.counts(again) == ["0", "2", "3"])
            let replayed = try await Self.run(key: "real", server)
            #expect(replayed.body == real.body)
            let last = try await server.send("GET", "/api/iap/apple/status").json
            #expect(last["expires_at"]?.string == "2026-02-16T12:00:00Z")
        }
    }

    @Test func `a run goes on where its last answer ended`() async throws {
        try await Self.open { server in
            var (cursor, given, answers): (String?, Int, Int) = (nil, 0, 0)
            repeat {
                let rest = cursor.map { #","cursor":"\#($0)""# } ?? ""
                let answer = try await Self.run(Self.outage + #","limit":2"# + rest, key: "k\(answers)", server).json
                given += answer["given"]?.integer.flatMap { Int($0) } ?? 0
                (cursor, answers) = (answer["next_cursor"]?.string, answers + 1)
            } while cursor != nil && answers < 9
            #expect(given == 2 && answers == 3)
        }
    }

    @Test func `the tier may be another`() async throws {
        try await Self.open { server in
            let answer = try await Self.run(Self.outage + #","tier":"free""#, key: "k", server)
            #expect(try answer.json["data"]?.elements?.first?["tier"]?.string == "free")
        }
    }

    @Test func `a run that fails half way is repeated`() async throws {
        try await Self.open { server in
            let schema = try server.open.schema
            try await schema.rows("RENAME TABLE ledger_entries TO ledger_entries_away")
            #expect(try await Self.run(key: "k", server).status == 503)
            try await schema.rows("RENAME TABLE ledger_entries_away TO ledger_entries")
            let repeated = try await Self.run(key: "k", server)
            #expect(try Self.counts(repeated) == ["2", "0", "3"])
        }
    }

    @Test func `an outage that is none is refused, whoever is there`() async throws {
        try await TestServer.run { server in
            func refused(
                _ status: Int, _ code: String, _ members: String, at pointer: String? = nil,
                sourceLocation: SourceLocation = #_sourceLocation
            ) async throws {
                try await server.expectRefusal(
                    status, code, "POST", Self.path, "{\(members),\(Self.why)}", at: pointer,
                    fields: [("Idempotency-Key", "k")], token: Fixture.apiKey(.write),
                    sourceLocation: sourceLocation)
            }
            let (from, to) = (#""from":"2026-01-15T10:00:00Z""#, #""to":"2026-01-15T11:00:00Z""#)
            try await refused(404, "unknown_tier", #"\#(from),\#(to),"add_hours":1,"tier":"gold""#)
            let later = #""from":"2026-01-16T10:00:00Z","to":"2026-01-16T11:00:00Z""#
            let turned = #""from":"2026-01-15T11:00:00Z","to":"2026-01-15T11:00:00Z""#
            for span in [later, turned] {
                try await refused(400, "invalid_request", #"\#(span),"add_hours":1"#, at: "#/to")
            }
            for (members, pointer) in [
                (#"\#(to),"add_hours":1"#, "#/from"), (#"\#(from),"add_hours":1"#, "#/to"),
                ("\(from),\(to)", "#/add_hours"), (#"\#(from),\#(to),"add_hours":0"#, "#/add_hours"),
                (#"\#(from),\#(to),"add_hours":99999999"#, "#/add_hours"),
                (#"\#(from),\#(to),"add_hours":1,"limit":1001"#, "#/limit"),
                (#"\#(from),\#(to),"add_hours":1,"cursor":"YmVmb3JlIDc""#, "#/cursor"),
                (#"\#(from),\#(to),"add_hours":1,"dry_run":true"#, "#/dry_run"),
                (#"\#(from),\#(to),"add_hours":1,"any_source":1"#, "#/any_source"),
            ] { try await refused(400, "invalid_request", members, at: pointer) }
            let whole = #"\#(from),\#(to),"add_hours":1"#
            for (body, pointer) in [
                (#"{\#(whole),"reason":"r"}"#, "#/reference"), (#"{\#(whole),"reference":"r"}"#, "#/reason"),
                ("[]", "#"),
            ] {
                try await server.expectRefusal(
                    400, "invalid_request", "POST", Self.path, body, at: pointer,
                    fields: [("Idempotency-Key", "k")], token: Fixture.apiKey(.write))
            }
            let nobody = try await Self.run(whole, key: "nobody", server)
            #expect(try Self.counts(nobody) == ["0", "0", "0"])
        }
    }
}

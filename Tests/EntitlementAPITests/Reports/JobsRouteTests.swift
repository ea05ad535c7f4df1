import Entitlements
import LedgerStore
import NIOHTTP1
import StrictJSON
import Support
import Testing

@testable import EntitlementAPI

/// Jobs that were given up are listed, and revived once, by whoever may write.
struct JobsRouteTests {
    private static let jobs = "/api/admin/jobs"

    /// A server with two deliveries, the job of the first of which is dead.
    private static func open(_ body: @Sendable (TestServer) async throws -> Void) async throws {
        try await TestServer.run { server in
            for table in ["jobs", "inbox_deliveries"] {
                try await server.open.schema.rows("ALTER TABLE \(table) AUTO_INCREMENT = 1")
            }
            for number in 1...2 {
                _ = try await server.open.store.inbox.receive(
                    InboxDelivery(
                        source: .stripe, app: .cards, environment: .production, externalID: "evt_\(number)",
                        type: "charge.refunded", subtype: nil, signedAt: Fixture.now, about: nil,
                        text: .body(Array("\(number)".utf8)),
                        contentDigest: [UInt8](repeating: UInt8(number), count: 32)))
            }
            try await server.open.schema.rows(
                "UPDATE jobs SET attempts = 8, died_at = \(Fixture.now.milliseconds + 1000) WHERE subject = 1")
            try await body(server)
        }
    }

    private static func revive(
        _ path: String, key: String? = nil, _ server: TestServer
    ) async throws -> TestServer.Answer {
        try await server.send(
            "POST", jobs + path, #"{"reason":"mended"}"#, token: Fixture.apiKey(.write),
            fields: key.map { [("Idempotency-Key", $0)] } ?? [])
    }

    @Test func `dead jobs are listed, and waiting ones where asked`() async throws {
        try await Self.open { server in
            let dead = try await server.send("GET", Self.jobs, token: Fixture.apiKey(.read))
            let row = try #require(try dead.json["data"]?.elements?.first)
            let texts = ["id", "kind", "state", "delivery_id", "source", "type", "notification_id", "attempts"]
            #expect(
                texts.map { row[$0]?.string ?? row[$0]?.integer } == [
                    "1", "delivery", "dead", "1", "stripe", "charge.refunded", "evt_1", "8",
                ], "\(dead.body)")
            #expect(row["created_at"]?.string == "2026-01-15T12:00:00Z" && row["due_at"]?.isNull == true)
            #expect(row["died_at"]?.string == "2026-01-15T12:00:01Z")
            #expect(try dead.json["data"]?.elements?.count == 1 && dead.json["next_cursor"]?.isNull == true)
            let waiting = try await server.send("GET", Self.jobs + "?state=waiting", token: Fixture.apiKey(.read))
            #expect(try waiting.json["data"]?.elements?.map { $0["notification_id"]?.string } == ["evt_2"])
            #expect(try waiting.json["data"]?.elements?.first?["due_at"]?.string == "2026-01-15T12:00:10Z")
            for query in ["state=all", "state=", "state=dead&state=dead"] {
                try await server.expectRefusal(
                    400, "invalid_request", "GET", Self.jobs + "?" + query, at: "?state", token: Fixture.apiKey(.read))
            }
        }
    }

    @Test func `a dead job is previewed, revived once for a key, told in the trail and logged`() async throws {
        try await Self.open { server in
            func words(_ id: Int) async throws -> String? {
                let dry = try await Self.revive("/\(id)/revive?dry_run=1", server)
                #expect(try dry.status == 200 && dry.json["id"]?.string == "\(id)", "\(dry.body)")
                return try dry.json["preview"]?["would"]?.string
            }
            let tables = try await server.open.schema.dump("jobs")
            #expect(
                try await words(1) == "The job 1 would be tried again at once, with its tries counted from 0.")
            #expect(try await words(2) == "The job 2 stays as it is: it is not dead.")
            #expect(try await server.open.schema.dump("jobs") == tables)
            server.wait(hours: 1)
            _ = server.log.take()
            let revived = try await Self.revive("/1/revive", key: "k", server)
            #expect(try revived.json["state"]?.string == "waiting" && revived.json["attempts"]?.integer == "0")
            #expect(server.log.take().contains("info act action=job.revive actor=api_key:1 write"))
            let again = try await Self.revive("/1/revive", key: "k", server)
            #expect(again.body == revived.body && again.headers["idempotency-replayed"] == ["true"])
            let audited = try await server.audited
            #expect(audited.map { $0["action"]?.string } == ["job.revive"])
            #expect(audited.first?["reason"]?.string == "mended")
            #expect(audited.first?["details"]?["delivery"]?.string == "1")
        }
    }

    @Test func `a job that is none, a call without a key and a reader's call are refused`() async throws {
        try await Self.open { server in
            for (id, query) in [("99", ""), ("99", "?dry_run=1"), ("x", ""), ("x", "?dry_run=1"), ("-1", "")] {
                let answer = try await Self.revive("/\(id)/revive" + query, key: "k\(id)", server)
                #expect(answer.status == 404 && answer.code == "not_found", "\(id): \(answer.body)")
            }
            let path = Self.jobs + "/1/revive"
            let writer = Fixture.apiKey(.write)
            try await server.expectRefusal(
                400, "invalid_request", "POST", path, "{}", at: "Idempotency-Key", token: writer)
            try await server.expectRefusal(
                400, "invalid_request", "POST", path, #"{"reason":""}"#, at: "#/reason", token: writer)
            try await server.expectRefusal(403, "forbidden", "POST", path, "{}", token: Fixture.apiKey(.read))
            try await server.open.schema.rows("DELETE FROM inbox_texts")
            let dry = try await Self.revive("/1/revive?dry_run=1", server)
            #expect(dry.body.contains("stays as it is: nothing is left of its delivery to place"), "\(dry.body)")
        }
    }
}

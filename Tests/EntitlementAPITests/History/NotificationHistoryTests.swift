import AppStore
import Entitlements
import LedgerStore
import MariaDB
import StoreSimulator
import StrictJSON
import Support
import Testing

@testable import EntitlementAPI

/// Apple's list of notifications is read each night (`semantics.md` §6).
struct NotificationHistoryTests {
    private static let day = Instant.millisecondsPerDay

    /// A server, the Apple that it asks, and what reads the list.
    private struct Shop {
        let server: TestServer
        let apple: HistoryServer
        let history: NotificationHistory

        var store: Store { get throws { try server.open.store } }

        /// Signed notifications of passes, each with its own id.
        func notifications(_ numbers: ClosedRange<Int>, token: String? = nil) throws -> [String] {
            try numbers.map { number in
                var pass = Fixture.pass("\(7_000 + number)")
                pass.appAccountToken = token
                let event = SimulatedEvent.oneTimeCharge(pass)
                return try server.authority.sign(
                    event.notification(uuid: "n\(number)", signedBy: server.authority)
                ).text
            }
        }

        /// Lets the night come: the ids of the readings that are due.
        func night() async throws -> [UInt64] {
            server.clock.now = server.clock.now + NotificationHistoryTests.day
            let next = server.clock.now + NotificationHistoryTests.day
            let made = try await store.notificationReads.makeJobs(of: [Fixture.app], next: next)
            let rows = try await server.open.schema.rows(
                "SELECT subject FROM jobs WHERE kind = 'notifications' ORDER BY subject DESC LIMIT \(made)")
            return rows.compactMap { row in
                guard case .uint64(let id)? = row.first else { return nil }
                return id
            }.reversed()
        }

        func reads() async throws -> [[Value]] {
            try await server.open.schema.rows(
                "SELECT received_until, reading_until, token FROM notification_reads ORDER BY id")
        }

        func deliveries() async throws -> Int {
            try await server.open.schema.number("SELECT COUNT(*) FROM inbox_deliveries")
        }
    }

    private static func open(_ body: @Sendable (Shop) async throws -> Void) async throws {
        let apple = HistoryServer()
        try await TestServer.run(asking: apple) { server in
            let history = NotificationHistory(
                store: StoreDoor(try server.open.store), asking: apple, into: server.api.inbox,
                logger: server.api.logger)
            let shop = Shop(server: server, apple: apple, history: history)
            let first = try await shop.store.notificationReads.makeJobs(
                of: [Fixture.app], next: server.clock.now + day)
            #expect(first == 0, "the first night is to come")
            try await body(shop)
        }
    }

    @Test func `a list that leads back to a page ends there`() async throws {
        try await Self.open { shop in
            shop.apple.list(notifications: try shop.notifications(1...2))
            shop.apple.lead { number in ["x", "y"][number % 2] }
            for id in try await shop.night() { try await shop.history.read(id) }
            #expect(shop.apple.asked.count == 2 * 3, "in both environments")
        }
    }

    @Test func `what no webhook brought is taken, what is known changes nothing, and the next night begins at the end`()
        async throws
    {
        try await Self.open { shop in
            let issued = try await shop.server.send("GET", "/api/iap/apple/account-token")
            let token = try issued.json["app_account_token"]?.string
            let texts = try shop.notifications(1...45, token: token)
            let known = try await shop.server.send(
                "POST", "/api/billing/webhooks/apple", #"{"signedPayload":"\#(texts[0])"}"#, token: nil)
            #expect(try known.json["result"]?.string == "applied", "\(known.body)")
            shop.apple.list(notifications: texts)
            let ids = try await shop.night()
            #expect(ids.count == 2, "one for each environment")
            let now = shop.server.clock.now
            for id in ids { try await shop.history.read(id) }
            #expect(try await shop.deliveries() == 45)
            #expect(
                try await shop.server.open.schema.number("SELECT COUNT(*) FROM purchases WHERE user_id IS NOT NULL")
                    == 45)
            let row: [Value] = [.int64(now.milliseconds), .null, .null]
            #expect(try await shop.reads() == [row, row])
            #expect(shop.apple.asked.count == 6, "three pages for each environment")
            let bodies = shop.apple.asked.compactMap { $0.body }.map { String(decoding: $0, as: UTF8.self) }
            let longest = now + -179 * Self.day
            #expect(bodies[0] == #"{"startDate":\#(longest.milliseconds),"endDate":\#(now.milliseconds)}"#)
            for id in try await shop.night() { try await shop.history.read(id) }
            let last = shop.apple.asked.last?.body.map { String(decoding: $0, as: UTF8.self) } ?? ""
            #expect(last.contains(#""startDate":\#((now + -Instant.millisecondsPerHour).milliseconds),"#), "\(last)")
            #expect(try await shop.deliveries() == 45)
            #expect(try await shop.store.notificationReads.makeJobs(of: [Fixture.app], next: now) == 0)
        }
    }

    @Test func `a reading that is cut off goes on at its page, and moves the start only when it is whole`() async throws
    {
        try await Self.open { shop in
            shop.apple.list(notifications: try shop.notifications(1...45))
            let id = try #require(try await shop.night().first)
            shop.apple.onAsk { number in if number == 2 { throw AppStoreServerFailure.unreachable("away") } }
            await #expect(throws: StoreHistory.Failure.self) { try await shop.history.read(id) }
            let end = shop.server.clock.now.milliseconds
            #expect(try await shop.reads().first == [.int64(0), .int64(end), .text("20")])
            shop.server.clock.now = shop.server.clock.now + 3_600_000
            try await shop.history.read(id)
            #expect(try await shop.reads().first == [.int64(end), .null, .null])
            #expect(try await shop.deliveries() == 45)
            let tokens = shop.apple.asked.map { question -> String? in
                guard case .notifications(_, let token) = question else { return "?" }
                return token
            }
            #expect(tokens == [nil, "20", "20", "40"])
        }
    }

    @Test func `a page that is there no more is asked for from the start, and a refusal waits for the next night`()
        async throws
    {
        try await Self.open { shop in
            shop.apple.list(notifications: try shop.notifications(1...25))
            let id = try #require(try await shop.night().first)
            shop.apple.onAsk { number in if number == 2 { shop.apple.fail(.refused(code: 4_000_017)) } }
            await #expect(throws: StoreHistory.Failure.self) { try await shop.history.read(id) }
            #expect(try await shop.reads().first?.last == .null)
            try await shop.history.read(id)
            #expect(try await shop.deliveries() == 25)
            let until = try await shop.reads().first?.first
            let refusals: [AppStoreServerFailure] = [.refused(code: 4_040_003), .keyNotAccepted]
            for refusal in refusals {
                let id = try #require(try await shop.night().first)
                shop.apple.fail(refusal)
                try await shop.history.read(id)
                #expect(try await shop.reads().first == [until ?? .null, .null, .null], "\(refusal)")
            }
        }
    }

    @Test func `a notification that is not genuine is left out and logged`() async throws {
        try await Self.open { shop in
            let texts = try shop.notifications(1...3)
            shop.apple.list(notifications: [texts[0], String(texts[1].dropLast(8)) + "AAAAAAAA", "no text", texts[2]])
            try await shop.history.read(try #require(try await shop.night().first))
            #expect(try await shop.deliveries() == 2)
            #expect(shop.server.log.lines.contains { $0.contains("not genuine") })
        }
    }

    @Test func `walks and look-ups that were given up are tried again each night, and no other job`() async throws {
        try await Self.open { shop in
            let sent = try shop.server.authority.sign(Fixture.pass()).text
            shop.apple.fail(.unreachable("away"))
            _ = try await shop.server.send(
                "POST", "/api/iap/apple/restore", #"{"signedTransactions":["\#(sent)"]}"#)
            let schema = try shop.server.open.schema
            try await schema.rows("UPDATE jobs SET died_at = 1, attempts = 8")
            try await schema.rows(
                """
                INSERT INTO jobs (kind, subject, due_at, attempts, created_at, died_at)
                VALUES ('lookup', 7, 0, 8, 0, 1), ('consumption', 7, 0, 8, 0, 1)
                """)
            _ = try await shop.night()
            #expect(try await schema.number("SELECT COUNT(*) FROM jobs WHERE died_at = 1") == 1)
            #expect(try await schema.number("SELECT attempts FROM jobs WHERE kind = 'lookup'") == 0)
            let revived = "SELECT COUNT(*) FROM jobs WHERE kind = 'history' AND died_at IS NULL AND attempts = 0"
            #expect(try await schema.number(revived) == 1)
            try await schema.rows("DELETE FROM jobs")
            try await schema.rows("UPDATE history_walks SET answered_at = 1")
            _ = try await shop.night()
            #expect(try await schema.number(revived) == 0, "nothing is owed")
        }
    }
}

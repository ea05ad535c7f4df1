import AppStore
import Entitlements
import LedgerStore
import MariaDB
import StoreSimulator
import StrictJSON
import Support
import Testing

@testable import EntitlementAPI

/// Apple is asked about chains whose period ended without a word (`semantics.md` §7).
struct ChainTests {
    private static let day = Instant.millisecondsPerDay
    /// The purchase of all chains here; their first period ends two days later, half a day after the fixture's instant.
    private static let start = Fixture.now.milliseconds - 3 * day / 2
    private static let end = Instant(milliseconds: start + 2 * day)

    /// A server, the Apple that it asks, and the jobs about chains.
    private struct Shop {
        let server: TestServer
        let apple: HistoryServer
        let jobs: Jobs

        func plan(_ id: String) -> SimulatedSubscription {
            SimulatedSubscription.begin(
                .init("annual3", as: id, until: ChainTests.end.milliseconds),
                by: .init(bundleId: Fixture.app.text, subscriptionGroup: "g", appTransactionId: "7" + id),
                at: ChainTests.start
            ).subscription
        }

        /// Attaches the newest period of a plan, as it was signed then.
        func attach(_ plan: SimulatedSubscription, to user: String = "u1") async throws -> Int {
            let text = try server.authority.sign(plan.transaction(of: plan.newest, signedAt: plan.signedAt)).text
            return try await server.send(
                "POST", "/api/iap/apple/transactions/attach", #"{"signedTransactionJWS":"\#(text)"}"#,
                token: Fixture.token(of: user)
            ).status
        }

        /// Lets Apple say the present state of a plan, signed now.
        func say(_ plan: SimulatedSubscription) throws {
            let now = server.clock.now.milliseconds
            apple.say(
                try server.authority.sign(plan.transaction(of: plan.newest, signedAt: now)).text,
                try server.authority.sign(plan.renewalInfo(signedAt: now)).text, about: plan.originalTransactionId)
        }

        /// Makes the jobs that are due and does them once, as a runner does. Returns how many were done, and how many
        /// failed.
        func work() async throws -> (done: Int, failed: Int) {
            _ = try await server.open.store.chains.makeJobs()
            var (done, failed) = (0, 0)
            for job in try await jobs.take(200, of: .chain) {
                do throws(StoreHistory.Failure) {
                    try await server.api.history?.ask(aboutChain: job.subject)
                    done += 1
                } catch {
                    try await jobs.fail(job, counts: !error.isPassing, notBefore: error.earliest)
                    failed += 1
                    continue
                }
                try await jobs.finish(job)
            }
            return (done, failed)
        }

        func ends(of user: String = "u1") async throws -> String? {
            let answer = try await server.send("GET", "/api/iap/apple/status", token: Fixture.token(of: user))
            return try answer.json["access_expires_at"]?.string
        }

        func state(of user: String = "u1") async throws -> String? {
            let answer = try await server.send("GET", "/api/iap/apple/status", token: Fixture.token(of: user))
            return try answer.json["state"]?.string
        }

        func rows(_ sql: String) async throws -> Int { try await server.open.schema.number(sql) }
    }

    private static func open(_ body: @Sendable (Shop) async throws -> Void) async throws {
        let apple = HistoryServer()
        try await TestServer.run(asking: apple) { server in
            try await Pool.running(server.open.schema.settings) { pool in
                let jobs = Jobs(pool: pool, now: { server.clock.now }, jitter: { 1 })
                try await body(Shop(server: server, apple: apple, jobs: jobs))
            }
        }
    }

    @Test func `a chain that renewed without a word is found after its end, and its next end is watched`() async throws
    {
        try await Self.open { shop in
            var plan = shop.plan("2001")
            #expect(try await shop.attach(plan) == 200)
            #expect(try await shop.work() == (0, 0), "the period runs")
            shop.server.clock.now = Self.end
            let renewed = Self.end + 30 * Self.day
            _ = try plan.renew(as: "2002", until: renewed.milliseconds, at: Self.end.milliseconds)
            try shop.say(plan)
            #expect(try await shop.state() == "grace")
            #expect(try await shop.work() == (1, 0))
            #expect(shop.apple.asked == [.statuses(of: "2001")])
            #expect(try await shop.state() == "active")
            #expect(try await shop.ends() == "2026-02-15T00:00:00Z")
            #expect(try await shop.work() == (0, 0))
            #expect(try await shop.rows("SELECT COUNT(*) FROM jobs") == 0)
            shop.server.clock.now = renewed
            #expect(try await shop.work() == (1, 0), "the next end is asked about, too")
        }
    }

    @Test func `a chain of which Apple says nothing new is asked about after the end and after the leeway, then left`()
        async throws
    {
        try await Self.open { shop in
            var plan = shop.plan("2001")
            #expect(try await shop.attach(plan) == 200)
            _ = try plan.cancel(at: Self.start + Self.day)
            shop.server.clock.now = Self.end
            try shop.say(plan)
            #expect(try await shop.work() == (1, 0))
            #expect(try await shop.state() == "expired", "the renewal is off, so there is no leeway")
            shop.server.clock.now = Self.end + (Self.day - 1)
            #expect(try await shop.work() == (0, 0))
            shop.server.clock.now = Self.end + Self.day
            #expect(try await shop.work() == (1, 0))
            shop.server.clock.now = Self.end + 365 * Self.day
            #expect(try await shop.work() == (0, 0))
            #expect(shop.apple.asked.count == 2)
            #expect(try await shop.rows("SELECT asked FROM chains WHERE due_at IS NULL") == 2)
        }
    }

    @Test func `a chain of which Apple says that it ended is asked about once`() async throws {
        try await Self.open { shop in
            var plan = shop.plan("2001")
            #expect(try await shop.attach(plan) == 200)
            _ = try plan.cancel(at: Self.start + Self.day)
            shop.server.clock.now = Self.end
            _ = try plan.expire(at: Self.end.milliseconds)
            try shop.say(plan)
            #expect(try await shop.work() == (1, 0))
            shop.server.clock.now = Self.end + 2 * Self.day
            #expect(try await shop.work() == (0, 0))
            #expect(try await shop.state() == "expired")
        }
    }

    @Test func `a chain whose end a notification told is not asked about, and one recorded late is asked once`()
        async throws
    {
        try await Self.open { shop in
            var told = shop.plan("2001")
            #expect(try await shop.attach(told) == 200)
            let event = try told.failBilling(at: Self.end.milliseconds)
            shop.server.clock.now = Self.end
            let text = try shop.server.authority.sign(
                event.notification(uuid: "n1", signedBy: shop.server.authority)
            ).text
            let answer = try await shop.server.send(
                "POST", "/api/billing/webhooks/apple", #"{"signedPayload":"\#(text)"}"#, token: nil)
            #expect(try answer.json["result"]?.string == "applied", "\(answer.body)")
            #expect(try await shop.work() == (0, 0))
            shop.server.clock.now = Self.end + 100 * Self.day
            let late = shop.plan("2005")
            try shop.say(late)
            #expect(try await shop.attach(late, to: "u2") == 200)
            #expect(try await shop.work() == (1, 0))
            #expect(try await shop.work() == (0, 0))
            #expect(shop.apple.asked == [.statuses(of: "2005")])
        }
    }

    @Test
    func `while Apple is away for a day nothing is lost, attaches go on, and no chain is asked about in vain twice`()
        async throws
    {
        try await Self.open { shop in
            var plans = (0..<12).map { shop.plan("20\($0 + 10)") }
            for (number, plan) in plans.enumerated() {
                #expect(try await shop.attach(plan, to: "u\(number)") == 200)
            }
            shop.server.clock.now = Self.end
            for number in plans.indices {
                _ = try plans[number].renew(
                    as: "30\(number + 10)", until: Self.end.milliseconds + 30 * Self.day, at: Self.end.milliseconds)
            }
            shop.apple.onAsk { _ in throw AppStoreServerAway() }
            for hour in 1...24 {
                shop.server.clock.now = Self.end + Int64(hour) * Instant.millisecondsPerHour
                #expect(try await shop.work().done == 0)
                #expect(try await shop.attach(shop.plan("50\(hour + 10)"), to: "v\(hour)") == 200)
            }
            #expect(try await shop.rows("SELECT COUNT(*) FROM jobs WHERE died_at IS NOT NULL") == 0)
            #expect(
                try await shop.rows("SELECT MAX(attempts) FROM jobs") == 0, "tries while Apple is away do not count")
            shop.apple.onAsk { _ in }
            for plan in plans { try shop.say(plan) }
            let before = shop.apple.asked.count
            for _ in 0..<3 {
                shop.server.clock.now = shop.server.clock.now + Instant.millisecondsPerHour
                _ = try await shop.work()
            }
            let asked = shop.apple.asked.dropFirst(before).filter {
                plans.map(\.originalTransactionId).contains($0.chain)
            }
            #expect(asked.count == 12, "one answer is enough for each")
            for number in plans.indices { #expect(try await shop.state(of: "u\(number)") == "active") }
        }
    }

    @Test func `a text in an answer that is not genuine is logged and not recorded, and stops no other chain`()
        async throws
    {
        try await Self.open { shop in
            var plans = ["2001", "2003"].map { shop.plan($0) }
            #expect(try await shop.attach(plans[0]) == 200)
            #expect(try await shop.attach(plans[1], to: "u2") == 200)
            shop.server.clock.now = Self.end
            for number in plans.indices {
                _ = try plans[number].renew(
                    as: "30\(number)", until: Self.end.milliseconds + 30 * Self.day, at: Self.end.milliseconds)
                try shop.say(plans[number])
            }
            let text = try shop.server.authority.sign(
                plans[0].transaction(of: plans[0].newest, signedAt: Self.end.milliseconds)
            ).text
            let renewal = try shop.server.authority.sign(plans[0].renewalInfo(signedAt: Self.end.milliseconds)).text
            shop.apple.say(String(text.dropLast(8)) + "AAAAAAAA", renewal, about: "2001")
            #expect(try await shop.work() == (2, 0))
            #expect(shop.server.log.lines.contains { $0.contains("not genuine") })
            #expect(try await shop.state() == "grace")
            #expect(try await shop.state(of: "u2") == "active")
            // A text of another chain in its place says nothing about this one.
            let other = try shop.server.authority.sign(
                plans[1].transaction(of: plans[1].newest, signedAt: Self.end.milliseconds)
            ).text
            shop.apple.say(other, renewal, about: "2001")
            shop.server.clock.now = Self.end + Self.day
            #expect(try await shop.work() == (1, 0))
            #expect(try await shop.state() == "expired")
        }
    }

    @Test func `an answer after the purchase moved is its new owner's, and after an erasure keeps no text`()
        async throws
    {
        for isErased in [true, false] {
            try await Self.open { shop in
                var plan = shop.plan("2001")
                #expect(try await shop.attach(plan) == 200)
                shop.server.clock.now = Self.end
                _ = try plan.renew(
                    as: "2002", until: Self.end.milliseconds + 30 * Self.day, at: Self.end.milliseconds)
                try shop.say(plan)
                let server = shop.server
                shop.apple.onAsk { _ in
                    let (path, body) =
                        isErased
                        ? ("erase", #"{"reason":"r"}"#)
                        : ("transfer", #"{"to_user_id":"u2","external_id":"2001","reason":"r"}"#)
                    let answer = try await server.send(
                        "POST", "/api/admin/users/u1/" + path, body, token: Fixture.apiKey(.admin),
                        fields: [("Idempotency-Key", "k")])
                    #expect((200..<300).contains(answer.status), "\(answer.body)")
                }
                #expect(try await shop.work() == (1, 0))
                #expect(try await shop.state(of: "u2") == (isErased ? "none" : "active"))
                #expect(try await shop.state() != "active")
                #expect(try await shop.rows("SELECT COUNT(*) FROM signed_texts") == (isErased ? 0 : 2))
                #expect(try await shop.rows("SELECT COUNT(*) FROM jobs WHERE kind = 'chain'") == 0)
            }
        }
    }

    @Test func `the chain of an erased person is not asked about`() async throws {
        try await Self.open { shop in
            #expect(try await shop.attach(shop.plan("2001")) == 200)
            let answer = try await shop.server.send(
                "POST", "/api/admin/users/u1/erase", #"{"reason":"r"}"#, token: Fixture.apiKey(.admin),
                fields: [("Idempotency-Key", "k")])
            #expect((200..<300).contains(answer.status), "\(answer.body)")
            shop.server.clock.now = Self.end
            _ = try await shop.work()
            #expect(shop.apple.asked.isEmpty)
            #expect(try await shop.rows("SELECT COUNT(*) FROM jobs") == 0)
        }
    }
}

/// Apple is away.
private struct AppStoreServerAway: Error {}

extension AppStoreQuestion {
    /// The chain that a question is about; empty for any other question.
    fileprivate var chain: String {
        guard case .statuses(let id) = self else { return "" }
        return id
    }
}

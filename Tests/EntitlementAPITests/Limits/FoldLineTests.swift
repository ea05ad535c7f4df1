import AsyncHTTPClient
import Entitlements
import LedgerStore
import NIOHTTP1
import Synchronization
import Testing

@testable import EntitlementAPI

/// The reads of one user are folded one at a time, and so are those of operators about one user. Those of others do not
/// wait for them.
struct FoldLineTests {
    /// A user's reads, each of another kind.
    private static let reads = [
        "/api/credits", "/api/devices", "/api/devices/license/status", "/api/iap/purchases",
        "/api/billing/plan-change?plan_id=annual_3", "/api/billing/subscriptions/check/u1",
        "/api/iap/entitlement-token", "/api/iap/apple/status?explain=1", "/api/iap/apple/status?history=1",
        "/api/iap/purchases?limit=1",
    ]

    /// A client of more connections than the tests' usual one has, for the life of the process.
    private static let client: HTTPClient = {
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 16
        return HTTPClient(configuration: configuration)
    }()

    /// How often something was folded.
    private final class Folds: Sendable {
        let count = Mutex(0)
    }

    @Test func `of ten reads of one user nine are taken, each kind of them waits, and others are answered meanwhile`()
        async throws
    {
        try await TestServer.run { server in
            try await server.sellCredits()
            try await withThrowingTaskGroup(of: TestServer.Answer.self) { group in
                try await server.holdingReads {
                    for path in Self.reads {
                        group.addTask { try await server.send("GET", path, through: Self.client) }
                    }
                    // None of the others is answered while the first is under way.
                    for _ in 1...2 {
                        let refused = try #require(try await group.next())
                        #expect(refused.status == 429 && refused.code == "rate_limited", "\(refused.body)")
                        #expect(refused.headers["Retry-After"] == ["1"])
                        let policy = refused.headers.first(name: "RateLimit-Policy") ?? ""
                        #expect(policy.hasPrefix("\"reads_under_way\";q=9;qu=\"concurrent-requests\", \"read\";"))
                    }
                    for path in Self.reads { try await server.expectRefusal(429, "rate_limited", "GET", path) }
                    for path in Self.reads where !path.hasSuffix("u1") {
                        let answer = try await server.send("GET", path, token: Fixture.token(of: "u2"))
                        #expect(answer.status == 200, "\(path): \(answer.body)")
                    }
                    let consent = "/api/iap/apple/consumption-consent"
                    let write = try await server.send("PUT", consent, #"{"consented":true}"#)
                    #expect(write.status == 200, "a write waits for no read: \(write.body)")
                }
                for try await answer in group { #expect(answer.status == 200, "\(answer.body)") }
            }
            for path in Self.reads { #expect(try await server.send("GET", path).status == 200, "\(path)") }
        }
    }

    @Test func `the reads of one user run one after the other`() async throws {
        let (line, user, running) = (FoldLine(), try Fixture.user(), Folds())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0...FoldLine.Place.own(user).maximumWaiting {
                group.addTask {
                    try await line.run(at: .own(user)) { () async throws(Problem) in
                        let now = running.count.withLock { count in
                            count += 1
                            return count
                        }
                        #expect(now == 1)
                        await Task.yield()
                        running.count.withLock { $0 -= 1 }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func `a server's question about a user does not wait behind the user`() async throws {
        try await TestServer.run { server in
            try await server.holdingReads {
                for path in ["credits", "status"] {
                    let answer = try await server.send(
                        "GET", "/api/admin/users/u1/" + path, token: Fixture.apiKey(.read))
                    #expect(answer.status == 200, "\(answer.body)")
                }
            }
        }
    }

    /// The reads of a server and the pages of a person of the staff that fold the ledger of one user.
    private static let served = [
        "credits", "devices", "devices/license/status", "purchases", "status?explain=1", "status?history=1", "timeline",
    ].map { "/api/admin/users/u1/" + $0 }
    private static let pages = ["", "/acts/give-days", "/acts/transfer"].map { "/dashboard/users/u1" + $0 }

    @Test func `the reads of operators about one user wait for each other, and for no read of others or of the user`()
        async throws
    {
        try await Browser.visiting { server, client in
            try await server.sellCredits()
            let browser = try await Browser.signedIn(at: server, client)
            let (user, key) = (try Fixture.user("u1"), Fixture.apiKey(.read))
            try await withThrowingTaskGroup(of: TestServer.Answer.self) { group in
                try await server.holdingReads(at: .operators(user)) {
                    for path in Self.served {
                        group.addTask { try await server.send("GET", path, token: key, through: Self.client) }
                    }
                    for path in Self.pages { group.addTask { try await browser.get(path) } }
                    let waiting = Self.served.count + Self.pages.count
                    while server.api.foldLine.waiting(at: .operators(user)) < waiting {
                        try await Task.sleep(for: .milliseconds(20))
                    }
                    for path in Self.served.map({ $0.replacing("u1", with: "u2") }) {
                        #expect(try await server.send("GET", path, token: key).status == 200, "\(path)")
                    }
                    for path in Self.reads {
                        #expect(try await server.send("GET", path).status == 200, "\(path)")
                    }
                    #expect(server.api.foldLine.waiting(at: .operators(user)) == waiting, "none was answered")
                }
                for try await answer in group { #expect(answer.status == 200, "\(answer.body)") }
            }
        }
    }

    @Test func `lists and previews of operators wait for their like`() async throws {
        try await TestServer.run { server in
            try await server.sellCredits()
            let transfer = "/api/admin/users/u1/transfer?dry_run=1"
            for (place, method, path, body) in [
                (FoldLine.Place.lists, "GET", "/api/admin/anomalies", nil),
                (.lists, "GET", "/api/admin/ended-before-attached", nil),
                (.previews, "POST", transfer, #"{"to_user_id":"u2","all":true,"reason":"asked"}"#),
            ] as [(FoldLine.Place, String, String, String?)] {
                try await withThrowingTaskGroup(of: TestServer.Answer.self) { group in
                    try await server.holdingReads(at: place) {
                        group.addTask { try await server.send(method, path, body, token: Fixture.apiKey(.write)) }
                        while server.api.foldLine.waiting(at: place) < 1 {
                            try await Task.sleep(for: .milliseconds(20))
                        }
                    }
                    for try await answer in group { #expect(answer.status == 200, "\(path): \(answer.body)") }
                }
            }
        }
    }

    @Test func `a read of an operator that took too long leaves the line`() async throws {
        var limits = ServerLimits()
        limits.requestSeconds = 1
        try await TestServer.run(limits: limits) { server in
            let place = FoldLine.Place.operators(try Fixture.user("u1"))
            try await server.holdingReads(at: place) {
                let path = "/api/admin/users/u1/credits"
                let late = try await server.send("GET", path, token: Fixture.apiKey(.read))
                #expect(late.status == 503 && late.code == "unavailable", "\(late.body)")
                while server.api.foldLine.waiting(at: place) > 0 { try await Task.sleep(for: .milliseconds(20)) }
            }
        }
    }

    @Test func `a read of an operator who closes the connection leaves the line`() async throws {
        try await TestServer.run { server in
            let place = FoldLine.Place.operators(try Fixture.user("u1"))
            try await server.holdingReads(at: place) {
                let read = Task {
                    let path = "/api/admin/users/u1/credits"
                    return try await server.send("GET", path, token: Fixture.apiKey(.read), through: Self.client)
                }
                while server.api.foldLine.waiting(at: place) < 1 { try await Task.sleep(for: .milliseconds(20)) }
                read.cancel()
                await #expect(throws: (any Error).self) { try await read.value }
                while server.api.foldLine.waiting(at: place) > 0 { try await Task.sleep(for: .milliseconds(20)) }
            }
        }
    }

    @Test func `a read whose task is cancelled folds nothing, and those behind it have their turn`() async throws {
        let (line, user, folds) = (FoldLine(), try Fixture.user(), Folds())
        let place = FoldLine.Place.own(user)
        let (opened, door) = AsyncStream.makeStream(of: Void.self)
        let first = Task { try await line.run(at: place) { () async throws(Problem) in for await _ in opened {} } }
        while !line.isBusy(at: place) { await Task.yield() }
        let second = Task {
            try await line.run(at: place) { () async throws(Problem) in folds.count.withLock { $0 += 1 } }
        }
        while line.waiting(at: place) < 1 { await Task.yield() }
        let third = Task { try await line.run(at: place) { () async throws(Problem) in 7 } }
        while line.waiting(at: place) < 2 { await Task.yield() }
        second.cancel()
        let problem = await #expect(throws: Problem.self) { try await second.value }
        #expect(problem?.code == .unavailable && line.waiting(at: place) == 1)
        door.finish()
        try await first.value
        #expect(try await third.value == 7)
        #expect(folds.count.withLock { $0 } == 0 && !line.isBusy(at: place))
    }

    @Test func `a read that fails leaves the line`() async throws {
        let (line, user) = (FoldLine(), try Fixture.user())
        for _ in 0..<20 {
            await #expect(throws: Problem.notFound) {
                try await line.run(at: .own(user)) { () async throws(Problem) in throw .notFound }
            }
        }
        #expect(try await line.run(at: .own(user)) { () async throws(Problem) in 7 } == 7)
    }
}

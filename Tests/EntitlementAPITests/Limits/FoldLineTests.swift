import AsyncHTTPClient
import Entitlements
import LedgerStore
import NIOHTTP1
import Synchronization
import Testing

@testable import EntitlementAPI

/// The reads of one user are folded one at a time, and those of others do not wait for them.
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
            for _ in 0...FoldLine.maximumWaiting {
                group.addTask {
                    try await line.run(for: user) { () async throws(Problem) in
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

    @Test func `a read that fails leaves the line`() async throws {
        let (line, user) = (FoldLine(), try Fixture.user())
        for _ in 0..<20 {
            await #expect(throws: Problem.notFound) {
                try await line.run(for: user) { () async throws(Problem) in throw .notFound }
            }
        }
        #expect(try await line.run(for: user) { () async throws(Problem) in 7 } == 7)
    }
}

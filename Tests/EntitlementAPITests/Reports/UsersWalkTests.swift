import Entitlements
import LedgerStore
import MariaDB
import StrictJSON
import Support
import Testing

@testable import EntitlementAPI

/// The lists and the summary of random users, held against the status of each, asked for one by one.
struct UsersWalkTests {
    private static let hour = Instant.millisecondsPerHour
    private static let day = Instant.millisecondsPerDay
    private static let reader = Fixture.apiKey(.read)

    private static func key(_ id: String, _ chance: inout SeededChance) -> PurchaseKey {
        let isSandbox = Int.random(in: 0..<4, using: &chance) == 0
        return PurchaseKey(
            source: .appleIAP, app: Fixture.app, environment: isSandbox ? .sandbox : .production,
            externalID: ExternalID(id))
    }

    /// Runs `body` for each user, for eight of them at once. Throws what `body` throws.
    private static func forEach<Answer: Sendable>(
        of count: Int, _ body: @escaping @Sendable (Int) async throws -> Answer
    ) async throws -> [Int: Answer] {
        try await withThrowingTaskGroup(of: [Int: Answer].self) { group in
            for worker in 0..<8 {
                group.addTask {
                    var answers: [Int: Answer] = [:]
                    for user in stride(from: worker, to: count, by: 8) { answers[user] = try await body(user) }
                    return answers
                }
            }
            return try await group.reduce(into: [:]) { $0.merge($1) { $1 } }
        }
    }

    /// Gives a user up to three of passes, plans, grants and credits, some of them taken back, some in the Sandbox.
    private static func fill(_ user: Int, _ server: TestServer) async throws {
        let open = try server.open
        var chance = SeededChance("user \(user)")
        let id = try Fixture.user("u\(user)")
        for number in 0..<Int.random(in: 1...3, using: &chance) {
            let key = key("\(user).\(number)", &chance)
            let boughtAt = Fixture.now + -hour * Int64.random(in: 0...(60 * 24), using: &chance)
            let takenBack = [nil, nil, nil, Revocation.fullShare, 40_000].randomElement(using: &chance) ?? nil
            switch Int.random(in: 0..<8, using: &chance) {
            case 0...2:
                let revocations = [nil] + (takenBack.map { [Revocation(revokedAt: Fixture.now, share: $0)] } ?? [])
                for revocation in revocations {
                    try await open.sell(
                        VerifiedPurchase(
                            key: key, transactionID: TransactionID("t\(key.externalID.text)"),
                            productID: ProductID("pass.30d"), type: .pass, purchasedAt: boughtAt,
                            revocation: revocation, signedAt: revocation == nil ? boughtAt : Fixture.now),
                        to: id)
                }
            case 3...4: try await sellPlan(key, at: boughtAt, to: id, takenBack: takenBack, &chance, open)
            case 5:
                try await server.grant(
                    .addDays(.random(in: 1...80, using: &chance), of: TierID("pro")), as: "g\(key.externalID.text)",
                    to: id.text)
            case 6:
                let until = Fixture.now + hour * Int64.random(in: 1...2_000, using: &chance)
                try await server.grant(.until(until, of: TierID("pro")), as: "g\(key.externalID.text)", to: id.text)
            default: try await server.sellCredits("c\(key.externalID.text)", to: id.text, in: key.environment)
            }
        }
    }

    /// Two periods of a plan, and how its renewal is.
    private static func sellPlan(
        _ key: PurchaseKey, at start: Instant, to user: UserID, takenBack share: Int?, _ chance: inout SeededChance,
        _ open: OpenStore
    ) async throws {
        var (startsAt, renewedAt) = (start, start)
        for period in 1...2 where startsAt <= Fixture.now {
            let endsAt = startsAt + 30 * day
            try await open.sell(
                VerifiedPurchase(
                    key: key, transactionID: TransactionID("\(key.externalID.text).\(period)"), periodID: "\(period)",
                    productID: ProductID("annual3"), type: .plan, purchasedAt: startsAt, expiresAt: endsAt,
                    revocation: share.map { Revocation(revokedAt: endsAt + -day, share: $0) }, signedAt: startsAt),
                to: user)
            (startsAt, renewedAt) = (endsAt, startsAt)
        }
        let ends: [RenewalEnd?] = [nil, .cancelled, .billing]
        try await open.tell(
            VerifiedRenewal(
                key: key, signedAt: min(renewedAt + hour, Fixture.now), willRenew: Bool.random(using: &chance),
                graceEndsAt: Bool.random(using: &chance) ? startsAt + 6 * day : nil,
                isInRetry: Bool.random(using: &chance), end: ends.randomElement(using: &chance) ?? nil))
    }

    /// The rows of all pages of a list, by user, and the users in its order.
    private static func listed(
        _ query: String, _ server: TestServer
    ) async throws -> (rows: [String: JSONValue], order: [String]) {
        var (rows, order, cursor) = ([String: JSONValue](), [String](), "")
        while true {
            let path = "/api/admin/users?limit=100&\(query)" + (cursor.isEmpty ? "" : "&cursor=" + cursor)
            let json = try await server.send("GET", path, token: reader).json
            #expect(json["overdue"]?.integer == "0")
            for row in json["data"]?.elements ?? [] {
                let user = try #require(row["user_id"]?.string)
                rows[user] = row
                order.append(user)
            }
            guard let next = json["next_cursor"]?.string else { return (rows, order) }
            cursor = next
        }
    }

    /// The members that a row and a status share.
    private static let shared = [
        "user_id", "state", "tier", "tier_rank", "expires_at", "expires_at_ms", "access_expires_at",
        "access_expires_at_ms",
    ]

    private static func text(_ value: JSONValue?) -> String { value?.string ?? value?.integer ?? "-" }

    /// The source, product and environment of the coverage that gives the tier, by the fold of the ledger.
    private static func giving(_ user: String, _ server: TestServer) async throws -> [String] {
        let ledger = try await server.ledger(of: user)
        let timeline = Timeline(folding: ledger, given: Fixture.catalogue, settings: Fixture.settings)
        let giving = timeline.status(at: server.clock.now, explains: false).deciding?.segment
        let texts = [giving?.key.source.text, giving?.productID?.text, giving?.key.environment.rawValue]
        return texts.map { $0 ?? "-" }
    }

    /// A user's status, and the coverage that gives the tier.
    private struct Told: Sendable {
        /// The shared members.
        let status: [String]
        let giving: [String]
    }

    private static func told(_ user: String, _ server: TestServer) async throws -> Told {
        let status = try await server.send("GET", "/api/admin/users/\(user)/status", token: reader).json
        #expect(status["known"]?.flag == true)
        return Told(status: shared.map { text(status[$0]) }, giving: try await giving(user, server))
    }

    @Test func `lists and summary equal the statuses of all users, at every instant`() async throws {
        let users = TestRun.rounds(200, soak: 10_000)
        try await TestServer.run { server in
            var chance = SeededChance("users")
            _ = try await Self.forEach(of: users) { try await Self.fill($0, server) }
            var states: Set<String> = []
            for round in 0..<TestRun.rounds(5, soak: 20) {
                if round > 0 { server.wait(hours: .random(in: 1...(24 * 9), using: &chance)) }
                let standings = try server.open.store.standings
                while try await standings.overdue().count > 0 { _ = try await standings.makeDueAnew() }
                #expect(try await standings.makeDueAnew() == 0)
                let told = try await Self.forEach(of: users) { try await Self.told("u\($0)", server) }
                try await Self.expectSame(Dictionary(uniqueKeysWithValues: told.map { ("u\($0)", $1) }), server)
                states.formUnion(told.values.map { $0.status[1] })
            }
            #expect(states == Set(Status.State.allCases.map(\.rawValue)))
        }
    }

    private static func expectSame(_ asked: [String: Told], _ server: TestServer) async throws {
        let newest = try await listed("", server)
        let seen = try await server.open.schema.rows("SELECT user_id FROM users ORDER BY pseudonym DESC")
        #expect(newest.order.map { [.text($0)] } == seen && seen.count == asked.count)
        for (user, told) in asked {
            let row = newest.rows[user]
            #expect(shared.map { text(row?[$0]) } == told.status, "\(user)")
            #expect(["source", "product_id", "environment"].map { text(row?[$0]) } == told.giving, "\(user)")
        }
        let ends = asked.compactMapValues { Int64($0.status[5]) }
        let ending = try await listed("order=end", server)
        #expect(Set(ending.order) == Set(ends.keys) && ending.order.count == ends.count)
        #expect(ending.order.compactMap { ends[$0] } == ends.values.sorted())
        for state in Status.State.allCases {
            let inState = try await listed("state=\(state.rawValue)", server)
            #expect(Set(inState.order) == Set(asked.filter { $0.value.status[1] == state.rawValue }.keys))
        }
        let summary = try await server.send("GET", "/api/admin/summary", token: reader).json
        #expect(summary["users"]?.integer == "\(asked.count)")
        var groups = Dictionary(grouping: asked.values) {
            [$0.status[1], $0.status[2], $0.giving[0], $0.giving[2]]
        }
        for group in summary["groups"]?.elements ?? [] {
            let names = ["state", "tier", "source", "environment"].map { text(group[$0]) }
            #expect(text(group["users"]) == "\(groups.removeValue(forKey: names)?.count ?? 0)", "\(names)")
        }
        #expect(groups.isEmpty)
        let now = server.clock.now
        let today = now.milliseconds / day
        for (number, element) in (summary["ending"]?.elements ?? []).enumerated() {
            let on = ends.values.filter { $0 >= now.milliseconds && $0 / day == today + Int64(number) }
            #expect(text(element["users"]) == "\(on.count)", "\(text(element["day"]))")
        }
    }
}

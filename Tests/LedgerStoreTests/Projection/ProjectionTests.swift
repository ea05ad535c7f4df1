import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// `subscriptions` is kept while facts arrive and can be rebuilt to the same bytes (`semantics.md` §1).
@Suite struct ProjectionTests {
    private let anna = Sample.user("anna")

    @Test func `a refund moves the passes that wait behind it`() async throws {
        try await TestStore.open { store in
            try await store.restore(
                [Sample.pass("1", day: 0), Sample.pass("2", day: 9), Sample.pass("3", day: 19)], to: anna)
            #expect(try await days(store) == ["1": [0, 30], "2": [30, 60], "3": [60, 90]])
            try await store.attach(Sample.pass("2", day: 9, signedDay: 40, revokedDay: 40), to: anna)
            #expect(try await days(store) == ["1": [0, 30], "2": [30, 40], "3": [40, 70]])
            try await store.attach(Sample.pass("2", day: 9, signedDay: 50), to: anna)
            #expect(try await days(store) == ["1": [0, 30], "2": [30, 70], "3": [40, 90]])
            try await store.attach(Sample.pass("3", day: 19, signedDay: 41, revokedDay: 20), to: anna)
            #expect(try await days(store)["3"] == nil)
            try await expectRebuildsToTheSame(store)
        }
    }

    @Test func `random facts in random order leave what a rebuild makes`() async throws {
        var chance = SeededChance("projection")
        var facts: [(user: UserID, purchase: VerifiedPurchase)] = []
        for user in 1...12 {
            for number in 0..<Int.random(in: 1...5, using: &chance) {
                let (id, day) = ("\(user)-\(number)", Int.random(in: 0...60, using: &chance))
                let product = Bool.random(using: &chance) ? "pass.30" : "basic.30"
                facts.append((Sample.user(user), Sample.pass(id, of: product, day: day)))
                for _ in 0..<Int.random(in: 0...2, using: &chance) {
                    let (revoked, signed) = (
                        Int.random(in: day...90, using: &chance), Int.random(in: day...120, using: &chance)
                    )
                    let isRefund = Bool.random(using: &chance)
                    facts.append(
                        (
                            Sample.user(user),
                            Sample.pass(
                                id, of: product, day: day, signedDay: max(revoked, signed),
                                revokedDay: isRefund ? revoked : nil,
                                share: [100_000, 50_000, 33_333].randomElement(using: &chance) ?? 0)
                        ))
                }
            }
        }
        facts.shuffle(using: &chance)
        try await TestStore.open(instances: 2) { [facts] store in
            for (number, fact) in facts.enumerated() {
                try await store.attach(fact.purchase, to: fact.user, via: number % 2)
            }
            #expect(try await store.schema.counts()["subscriptions"] ?? 0 > 10)
            try await expectRebuildsToTheSame(store)
            #expect(try await LedgerChain.faults(in: store.schema) == [])
        }
    }

    @Test func `a rebuild mends what was damaged`() async throws {
        try await TestStore.open { store in
            for user in 1...3 { try await store.attach(Sample.pass("\(user)"), to: Sample.user(user)) }
            let before = try await store.schema.dump("subscriptions")
            try await store.schema.rows("UPDATE subscriptions SET tier = 'basic', expires_at = 7 WHERE user_id = 1")
            try await store.schema.rows("DELETE FROM subscriptions WHERE user_id = 2")
            try await store.schema.rows("UPDATE subscriptions SET user_id = 1 WHERE user_id = 3")
            #expect(try await store.schema.dump("subscriptions") != before)
            try await rebuild(store)
            #expect(try await store.schema.dump("subscriptions") == before)
        }
    }

    @Test func `more people than one transaction takes are all rebuilt`() async throws {
        try await TestStore.open { store in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for user in 1...450 {
                    group.addTask { try await store.attach(Sample.pass("\(user)"), to: Sample.user(user)) }
                }
                try await group.waitForAll()
            }
            let before = try await store.schema.dump("subscriptions")
            #expect(before.count == 450)
            try await store.schema.rows("DELETE FROM subscriptions")
            try await rebuild(store)
            #expect(try await store.schema.dump("subscriptions") == before)
        }
    }

    private func expectRebuildsToTheSame(_ store: TestStore) async throws {
        let before = try await store.schema.dump("subscriptions")
        try await rebuild(store)
        #expect(try await store.schema.dump("subscriptions") == before)
        try await store.schema.rows("DELETE FROM subscriptions")
        try await rebuild(store)
        #expect(try await store.schema.dump("subscriptions") == before)
    }

    private func rebuild(_ store: TestStore) async throws {
        try await Projection(pool: store.pool, settings: Sample.settings, format: Sample.format).rebuild(
            given: store.instances[0].versionCache.snapshot, at: store.clock.now)
    }

    /// First and last day of each row, by external id.
    private func days(_ store: TestStore) async throws -> [String: [Int64]] {
        let rows = try await store.schema.rows("SELECT external_id, starts_at, expires_at FROM subscriptions")
        return rows.reduce(into: [:]) { days, row in
            guard case .text(let id) = row[0], case .int64(let starts) = row[1], case .int64(let ends) = row[2] else {
                return
            }
            days[id] = [starts, ends].map { ($0 - Sample.epoch.milliseconds) / Instant.millisecondsPerDay }
        }
    }
}

import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// What waits in the database is counted, by indexes and up to a limit.
@Suite struct StoreFiguresTests {
    /// Adds rows of `inbox_deliveries` that nothing else belongs to. Throws when the database is away.
    private static func deliver(
        _ count: Int, from source: String = "apple_iap", _ state: String, _ reason: String?, at receivedAt: Int,
        in store: TestStore
    ) async throws {
        let reason = reason.map { "'\($0)'" } ?? "NULL"
        try await store.schema.rows(
            """
            INSERT INTO inbox_deliveries
                (source, app, environment, external_id, content_hash, type, signed_at, received_at, state, reason)
            SELECT '\(source)', 'a', 'Production', CONCAT('\(state)\(receivedAt)', seq), UNHEX(SHA2(seq, 256)), 'T', 0,
                \(receivedAt) - seq, '\(state)', \(reason) FROM seq_1_to_\(count)
            """)
    }

    /// Adds rows of `jobs`. Throws when the database is away.
    private static func add(
        _ count: Int, dueAt: String, diedAt: String = "NULL", from first: Int, in store: TestStore
    ) async throws {
        try await store.schema.rows(
            """
            INSERT INTO jobs (kind, subject, due_at, created_at, died_at)
            SELECT 'delivery', seq + \(first), \(dueAt), 0, \(diedAt) FROM seq_1_to_\(count)
            """)
    }

    @Test func `where nothing waits there is a zero for each kind of job, and no store was heard of`() async throws {
        try await TestStore.open { store in
            let figures = try await StoreFigures.read(from: store.pool, at: store.clock.now)
            #expect(figures.jobs.map(\.kind) == JobKind.allCases)
            for job in figures.jobs {
                #expect(job.due == 0 && job.later == 0 && job.dead == 0 && job.oldestDueAt == nil)
            }
            #expect(figures.unsettled == [] && figures.lastDeliveries == [])
        }
    }

    @Test func `jobs are due, later or dead, and the one that has been due for longest is found`() async throws {
        try await TestStore.open { store in
            let now = Instant(milliseconds: 1_000_000)
            try await Self.add(3, dueAt: "1000000 - seq", from: 0, in: store)
            try await Self.add(2, dueAt: "1000000 + seq", from: 10, in: store)
            try await Self.add(4, dueAt: "1", diedAt: "2", from: 20, in: store)
            try await store.schema.rows(
                "INSERT INTO jobs (kind, subject, due_at, created_at) VALUES ('of_a_newer_server', 1, 0, 0)")
            let figures = try await StoreFigures.read(from: store.pool, at: now)
            let job = try #require(figures.jobs.first { $0.kind == .delivery })
            #expect(job.due == 3 && job.later == 2 && job.dead == 4)
            #expect(job.oldestDueAt == now + -3, "not that of a dead one")
            #expect(figures.readAt == now)
            let before = try await StoreFigures.read(from: store.pool, at: now + -10)
            #expect(before.jobs.first?.due == 0 && before.jobs.first?.oldestDueAt == nil)
        }
    }

    @Test func `deliveries that wait or were given up are counted by source and reason, settled ones are not`()
        async throws
    {
        try await TestStore.open { store in
            try await Self.deliver(2, "parked", "no_user", at: 100, in: store)
            try await Self.deliver(1, "parked", "pending", at: 200, in: store)
            try await Self.deliver(3, from: "vouchers", "quarantined", "failed", at: 50, in: store)
            try await Self.deliver(5, from: "vouchers", "applied", nil, at: 300, in: store)
            let figures = try await StoreFigures.read(from: store.pool, at: store.clock.now)
            let counts = figures.unsettled.map { "\($0.source.text) \($0.outcome.result) \($0.count)" }
            #expect(Set(counts) == ["apple_iap parked 2", "apple_iap parked 1", "vouchers quarantined 3"])
            #expect(Set(figures.unsettled.map(\.outcome.reason)) == [.noUser, .pending, .failed])
            let last = Dictionary(
                uniqueKeysWithValues: figures.lastDeliveries.map { ($0.source, $0.receivedAt.milliseconds) })
            #expect(last == [.appleIAP: 199, Source("vouchers"): 299])
            #expect(try await StoreFigures.lastDeliveries(in: store.pool) == figures.lastDeliveries)
        }
    }

    @Test func `counting ends at a limit, and the last deliveries are found without reading all`() async throws {
        try await TestStore.open { store in
            let many = StoreFigures.limit + 500
            try await Self.deliver(many, "parked", "no_user", at: 1_000_000, in: store)
            try await Self.add(many, dueAt: "seq", from: 0, in: store)
            try await Self.add(many, dueAt: "0", diedAt: "1", from: many, in: store)
            let figures = try await StoreFigures.read(from: store.pool, at: store.clock.now)
            #expect(figures.unsettled.map(\.count) == [StoreFigures.limit])
            #expect(figures.jobs[0].due == StoreFigures.limit && figures.jobs[0].dead == StoreFigures.limit)
            #expect(figures.jobs[0].oldestDueAt == Instant(milliseconds: 1))
            try await store.schema.rows("ANALYZE TABLE inbox_deliveries")
            let plan = try await store.schema.rows(
                """
                EXPLAIN SELECT source, environment, MAX(received_at) FROM inbox_deliveries FORCE INDEX (by_source)
                GROUP BY source, environment
                """)
            #expect("\(plan)".contains("Using index for group-by"), "\(plan)")
        }
    }

    @Test func `deliveries are listed by their reason, and by both`() async throws {
        try await TestStore.open { store in
            try await Self.deliver(2, "ignored", "consent_rescinded", at: 100, in: store)
            try await Self.deliver(3, "ignored", "unknown_type", at: 200, in: store)
            try await Self.deliver(1, "applied", nil, at: 300, in: store)
            let reader = OperatorReader(pool: store.pool)
            for (result, reason, count) in [
                (nil, .consentRescinded, 2), (.ignored, .consentRescinded, 2), (.applied, .consentRescinded, 0),
                (.ignored, nil, 5), (nil, .failed, 0), (nil, nil, 6),
            ] as [(DeliveryResult?, DeliveryReason?, Int)] {
                let page = try await reader.deliveries(before: nil, limit: 10, of: result, because: reason)
                #expect(page.count == count, "\(String(describing: result)) \(String(describing: reason))")
                #expect(page.map(\.receivedAt) == page.map(\.receivedAt).sorted(by: >))
            }
        }
    }
}

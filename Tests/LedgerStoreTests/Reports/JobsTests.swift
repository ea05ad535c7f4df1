import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// Jobs are listed by whether they were given up, and a dead one is revived once.
@Suite(.serialized) struct JobsTests {
    /// A store with a dead job and one that waits. Returns their ids. Throws when the database is away.
    private static func jobs(in store: TestStore) async throws -> (dead: UInt64, waiting: UInt64) {
        let inbox = InboxTests.inbox(in: store)
        let bad = try await inbox.receive(InboxTests.delivery("1"))
        _ = try await inbox.receive(InboxTests.delivery("2"))
        let jobs = InboxTests.jobs(in: store)
        for _ in 1...Jobs.maximumAttempts {
            store.clock.now = store.clock.now + 11 * 60_000
            for job in try await jobs.take(16, of: .delivery) where job.subject == bad.id { try await jobs.fail(job) }
        }
        let id = try await store.schema.number("SELECT id FROM jobs WHERE subject = \(bad.id)")
        let other = try await store.schema.number("SELECT id FROM jobs WHERE subject <> \(bad.id)")
        return (UInt64(id), UInt64(other))
    }

    private static func ids(_ state: RecordedJob.State, _ store: TestStore) async throws -> [UInt64] {
        try await TestOperators(store).reader.jobs(state, before: nil, limit: 10).rows.map(\.id)
    }

    @Test func `a dead job says what it was about, how often it was tried and since when, and others wait`()
        async throws
    {
        try await TestStore.open { store in
            let start = store.clock.now
            let (dead, waiting) = try await Self.jobs(in: store)
            let job = try #require(
                try await TestOperators(store).reader.jobs(.dead, before: nil, limit: 10).rows.first)
            #expect(job.id == dead && job.state == .dead && job.attempts == Jobs.maximumAttempts)
            #expect(job.source == .appleIAP && job.type == "REFUND" && job.notification == "1")
            #expect(job.createdAt == start && job.diedAt == store.clock.now)
            #expect(try await Self.ids(.dead, store) == [dead])
            #expect(try await Self.ids(.waiting, store) == [waiting])
            let inbox = InboxTests.inbox(in: store)
            #expect(try await inbox.job(dead) == job)
            #expect(try await inbox.job(99) == nil)
            try await store.schema.rows("UPDATE jobs SET kind = 'newer'")
            #expect(try await Self.ids(.dead, store) == [])
            #expect(try await inbox.job(dead) == nil)
        }
    }

    @Test func `a dead job is revived once, which stands in the trail, and others stay as they are`() async throws {
        try await TestStore.open { store in
            let (dead, waiting) = try await Self.jobs(in: store)
            let (inbox, operators) = (InboxTests.inbox(in: store), TestOperators(store))
            func revive(_ id: UInt64) async throws -> RecordedJob? {
                try await inbox.revive(job: id, by: .commandLine, reason: "mended", audit: operators.audit)
            }
            let tables = try await store.schema.dump()
            let untouched = try await inbox.job(waiting)
            #expect(try await revive(waiting) == untouched)
            #expect(try await revive(99) == nil)
            #expect(try await store.schema.dump() == tables)
            let revived = try #require(try await revive(dead))
            #expect(revived.id == dead && revived.state == .waiting && revived.attempts == 0)
            #expect(revived.createdAt == store.clock.now && revived.dueAt == store.clock.now)
            let delivery = try #require(revived.delivery)
            #expect(try await inbox.outcome(of: delivery) == .pending)
            #expect(try await Self.ids(.dead, store) == [])
            #expect(try await revive(dead) == revived)
            let told = #"job.revive {"delivery":"\#(delivery)","job":"\#(dead)"} mended"#
            #expect(try await operators.told() == [told])
            #expect(try await InboxTests.jobs(in: store).take(16, of: .delivery).map(\.attempt).contains(1))
            #expect(try await operators.defects() == [])
        }
    }

    @Test func `a dead job of whose delivery nothing is left stays dead`() async throws {
        try await TestStore.open { store in
            let (dead, _) = try await Self.jobs(in: store)
            try await store.schema.rows("DELETE FROM inbox_texts")
            let operators = TestOperators(store)
            let job = try await InboxTests.inbox(in: store).revive(
                job: dead, by: .commandLine, reason: nil, audit: operators.audit)
            #expect(job?.state == .dead)
            #expect(try await operators.told() == [])
        }
    }

    @Test func `a page of dead jobs looks at a bounded number of jobs, and the pages find each once`() async throws {
        try await TestStore.open { store in
            try await store.schema.rows(
                """
                INSERT INTO jobs (kind, subject, due_at, created_at, died_at)
                SELECT 'delivery', seq, 0, 0, IF(seq % 4000 = 0, 1, NULL) FROM seq_1_to_12000
                """)
            let reader = TestOperators(store).reader
            var (found, pages, place) = ([UInt64](), 0, UInt64?.none)
            repeat {
                let page = try await reader.jobs(.dead, before: place, limit: 10)
                (found, pages, place) = (found + page.rows.compactMap(\.delivery), pages + 1, page.next)
            } while place != nil
            #expect(found == [12_000, 8_000, 4_000] && pages == 3)
        }
    }
}

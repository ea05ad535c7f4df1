import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// Who takes the jobs of deliveries, how often, and when they are given up.
extension InboxTests {
    @Test func `a job is due after ten seconds, is one worker's until its lease ends, and goes when it is done`()
        async throws
    {
        try await TestStore.open(instances: 2) { store in
            let stored = try await Self.inbox(in: store).receive(Self.delivery("1"))
            let (jobs, others) = (Self.jobs(in: store), Self.jobs(in: store, instance: 1))
            #expect(try await jobs.take(16, of: .delivery) == [])
            store.clock.now = store.clock.now + 10_000
            let taken = try await jobs.take(16, of: .delivery)
            #expect(taken.map(\.subject) == [stored.id] && taken[0].attempt == 1)
            #expect(try await others.take(16, of: .delivery) == [])
            store.clock.now = store.clock.now + Jobs.lease
            let late = try await others.take(16, of: .delivery)
            #expect(late.map(\.subject) == [stored.id] && late[0].attempt == 2)
            // The first worker has stood still meanwhile; what it says of the job does not count any more.
            try await jobs.fail(taken[0])
            #expect(try await jobs.take(16, of: .delivery) == [])
            try await settle(stored.id, as: DeliveryOutcome(.duplicate), in: store)
            store.clock.now = store.clock.now + Jobs.lease
            #expect(try await jobs.take(16, of: .delivery) == [])
        }
    }

    @Test func `jobs of a newer server's kinds, be they ever so many and late, hold up none of a known kind`()
        async throws
    {
        try await TestStore.open { store in
            try await store.schema.rows(
                "INSERT INTO jobs (kind, subject, due_at, created_at) SELECT 'newer', seq, 0, 0 FROM seq_1_to_40")
            let stored = try await Self.inbox(in: store).receive(Self.delivery("1"))
            store.clock.now = store.clock.now + 10_000
            #expect(try await Self.jobs(in: store).take(16, of: .delivery).map(\.subject) == [stored.id])
            #expect(try await store.schema.number("SELECT COUNT(*) FROM jobs WHERE attempts = 0") == 40)
        }
    }

    @Test func `workers that take jobs at once never take the same`() async throws {
        try await TestStore.open(instances: 2) { store in
            for number in 1...40 { _ = try await Self.inbox(in: store).receive(Self.delivery("\(number)")) }
            store.clock.now = store.clock.now + 10_000
            let taken = try await withThrowingTaskGroup(of: [UInt64].self) { group in
                for worker in 0..<8 {
                    group.addTask {
                        try await Self.jobs(in: store, instance: worker % 2).take(5, of: .delivery).map(\.subject)
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            #expect(Set(taken).count == taken.count)
            var left: [UInt64] = []
            while true {
                let more = try await Self.jobs(in: store).take(16, of: .delivery).map(\.subject)
                if more.isEmpty { break }
                left += more
            }
            #expect(Set(taken + left).count == 40 && taken.count + left.count == 40)
        }
    }

    @Test func `a job that fails eight times is given up, its delivery is quarantined, and others go on`() async throws
    {
        try await TestStore.open { store in
            let inbox = Self.inbox(in: store)
            let (bad, good) = (try await inbox.receive(Self.delivery("1")), try await inbox.receive(Self.delivery("2")))
            let jobs = Self.jobs(in: store)
            var pauses: [Int64] = []
            for attempt in 1...Jobs.maximumAttempts {
                store.clock.now = store.clock.now + 11 * 60_000
                let taken = try await jobs.take(16, of: .delivery)
                let job = try #require(taken.first { $0.subject == bad.id })
                #expect(job.attempt == attempt)
                if attempt == 1 {
                    #expect(taken.count == 2)
                    try await settle(good.id, as: DeliveryOutcome(.applied), in: store)
                }
                try await jobs.fail(job)
                let due = try await store.schema.number("SELECT due_at FROM jobs WHERE subject = \(bad.id)")
                pauses.append(Int64(due) - store.clock.now.milliseconds)
            }
            #expect(pauses.dropLast() == [5_000, 10_000, 20_000, 40_000, 80_000, 160_000, 320_000])
            store.clock.now = store.clock.now + 365 * Instant.millisecondsPerDay
            #expect(try await jobs.take(16, of: .delivery) == [])
            #expect(try await inbox.outcome(of: bad.id) == DeliveryOutcome(.quarantined, because: .failed))
            #expect(try await inbox.receive(Self.delivery("1")) == bad, "it came again")
            store.clock.now = store.clock.now + 10_000
            #expect(try await jobs.take(16, of: .delivery).map(\.attempt) == [1])
        }
    }

    @Test func `an applied delivery whose replay fails eight times stays applied, and is listed among what failed`()
        async throws
    {
        try await TestStore.open { store in
            let (inbox, jobs) = (Self.inbox(in: store), Self.jobs(in: store))
            let reader = OperatorReader(pool: store.pool)
            let trail = AuditTrail(salt: { [UInt8](repeating: 7, count: 16) })
            func failed() async throws -> [UInt64] {
                try await reader.deliveries(before: nil, limit: 10, of: nil, because: .failed).map(\.id)
            }
            let (old, new) = (try await inbox.receive(Self.delivery("1")), try await inbox.receive(Self.delivery("2")))
            try await settle(old.id, as: DeliveryOutcome(.applied), in: store)
            let settledAt = try await reader.deliveries(before: nil, limit: 10, of: .applied)[0].settledAt
            try await settle(new.id, as: DeliveryOutcome(.applied), in: store)
            _ = try await inbox.replay(old.id, by: .commandLine, reason: nil, audit: trail)
            for _ in 1...Jobs.maximumAttempts {
                #expect(try await failed() == [])
                let job = try #require(try await jobs.take(16, of: .delivery).first)
                try await jobs.fail(job)
                store.clock.now = store.clock.now + 11 * 60_000
            }
            #expect(try await failed() == [old.id])
            #expect(try await inbox.outcome(of: old.id) == DeliveryOutcome(.applied, because: .failed))
            #expect(try await reader.deliveries(before: nil, limit: 10, of: .applied).last?.settledAt == settledAt)
            #expect(try await store.schema.number("SELECT COUNT(*) FROM jobs WHERE died_at IS NOT NULL") == 1)
            #expect(try await inbox.receive(Self.delivery("1")).outcome.isSettled, "what comes again is known")

            let again = try await inbox.replay(old.id, by: .commandLine, reason: nil, audit: trail)
            #expect(again?.outcome == DeliveryOutcome(.applied) && again?.settledAt == settledAt)
            #expect(try await failed() == [])
            #expect(try await jobs.take(16, of: .delivery).map(\.attempt) == [1])
            try await settle(old.id, as: DeliveryOutcome(.duplicate), in: store)
            #expect(try await inbox.outcome(of: old.id) == DeliveryOutcome(.applied))
            #expect(try await store.schema.counts()["jobs"] == 0)
        }
    }

    @Test func `a last try that fails after another one applied the delivery gives nothing up`() async throws {
        try await TestStore.open { store in
            let (inbox, jobs) = (Self.inbox(in: store), Self.jobs(in: store))
            let delivery = try await inbox.receive(Self.delivery("1"))
            var last: Job?
            for attempt in 1...Jobs.maximumAttempts {
                store.clock.now = store.clock.now + 11 * 60_000
                let job = try #require(try await jobs.take(16, of: .delivery).first)
                last = job
                if attempt < Jobs.maximumAttempts { try await jobs.fail(job) }
            }
            try await settle(delivery.id, as: DeliveryOutcome(.applied), in: store)
            try await jobs.fail(try #require(last))
            #expect(try await inbox.outcome(of: delivery.id) == DeliveryOutcome(.applied))
            #expect(try await store.schema.counts()["jobs"] == 0)
        }
    }

    @Test func `a job that ends its worker each time is given up too, and what is away costs no try`() async throws {
        try await TestStore.open { store in
            let inbox = Self.inbox(in: store)
            let (deadly, patient) = (
                try await inbox.receive(Self.delivery("1")), try await inbox.receive(Self.delivery("2"))
            )
            let jobs = Self.jobs(in: store)
            for _ in 1...Jobs.maximumAttempts {
                store.clock.now = store.clock.now + 11 * 60_000
                let taken = try await jobs.take(16, of: .delivery)
                #expect(Set(taken.map(\.subject)) == [deadly.id, patient.id])
                let away = try #require(taken.first { $0.subject == patient.id })
                #expect(away.attempt == 1)
                try await jobs.fail(away, counts: false)
            }
            store.clock.now = store.clock.now + 11 * 60_000
            #expect(try await jobs.take(16, of: .delivery).map(\.subject) == [patient.id])
            let listed = try await OperatorReader(pool: store.pool).deliveries(
                before: nil, limit: 10, of: .quarantined)
            #expect(listed.map(\.id) == [deadly.id])
        }
    }

    @Test func `while what it needs is away, a job waits as long again each time, and ten minutes at most`()
        async throws
    {
        try await TestStore.open { store in
            _ = try await Self.inbox(in: store).receive(Self.delivery("1"))
            store.clock.now = store.clock.now + 10_000
            let jobs = Self.jobs(in: store)
            var pauses: [Int64] = []
            for _ in 1...10 {
                let job = try #require(try await jobs.take(16, of: .delivery).first)
                try await jobs.fail(job, counts: false)
                let due = Int64(try await store.schema.number("SELECT due_at FROM jobs"))
                pauses.append(due - store.clock.now.milliseconds)
                store.clock.now = Instant(milliseconds: due)
            }
            let doubled: [Int64] = [10_000, 20_000, 40_000, 80_000, 160_000, 320_000]
            #expect(pauses == doubled + Array(repeating: 600_000, count: 4))
        }
    }
}

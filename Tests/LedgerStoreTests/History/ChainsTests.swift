import Entitlements
import LedgerStore
import Support
import Testing

/// How often Apple is asked about a chain (`semantics.md` §7), and the runs that ask about everybody.
struct ChainsTests {
    private static let end = Sample.epoch + 60 * Instant.millisecondsPerDay

    private static func period(_ chain: String, until end: Instant = end) -> VerifiedPurchase {
        VerifiedPurchase(
            key: PurchaseKey(
                source: .appleIAP, app: Sample.app, environment: .production, externalID: ExternalID(chain)),
            transactionID: TransactionID(chain), productID: ProductID("plan.month"), type: .plan,
            purchasedAt: Sample.epoch, expiresAt: end, signedAt: Sample.epoch + 1)
    }

    private static func chains(_ store: TestStore, instance: Int = 0) -> Chains {
        Chains(
            pool: store.instances[instance].pool, leewayHours: 24, now: { store.clock.now },
            realNow: { store.clock.now })
    }

    @Test func `two instances together ask once about each of many chains, a hundred at a time`() async throws {
        try await TestStore.open(instances: 2) { store in
            for number in 0..<130 { try await store.attach(Self.period("\(9_000 + number)"), to: Sample.user(number)) }
            store.clock.now = Self.end
            let made = try await withThrowingTaskGroup(of: Int.self) { group in
                for instance in [0, 1, 0, 1] {
                    group.addTask { try await Self.chains(store, instance: instance).makeJobs() }
                }
                return try await group.reduce(0, +)
            }
            #expect((100...130).contains(made))
            #expect(try await store.schema.number("SELECT COUNT(*) FROM jobs WHERE kind = 'chain'") == made)
            let jobs = store.instances.map { Jobs(pool: $0.pool, now: { store.clock.now }, jitter: { 1 }) }
            var done: [UInt64] = []
            repeat {
                async let first = jobs[0].take(16, of: .chain)
                async let second = jobs[1].take(16, of: .chain)
                let taken = try await [first, second].flatMap(\.self)
                for job in taken { try await jobs[0].finish(job) }
                done += taken.map(\.subject)
                _ = try await Self.chains(store).makeJobs()
            } while try await store.schema.number("SELECT COUNT(*) FROM jobs") > 0
            #expect(done.count == 130 && Set(done).count == 130)
        }
    }

    @Test func `a job that was restarted while it was done is not removed`() async throws {
        try await TestStore.open { store in
            try await store.attach(Self.period("9001"), to: Sample.user(1))
            store.clock.now = Self.end
            #expect(try await Self.chains(store).makeJobs() == 1)
            let jobs = Jobs(pool: store.pool, now: { store.clock.now }, jitter: { 1 })
            let job = try #require(try await jobs.take(1, of: .chain).first)
            store.clock.now = Self.end + Instant.millisecondsPerDay
            #expect(try await Self.chains(store).makeJobs() == 1, "the leeway ended meanwhile")
            try await jobs.finish(job)
            #expect(try await jobs.take(1, of: .chain).map(\.subject) == [job.subject])
        }
    }

    @Test func `grace that is told without its end is asked about at once, though the leeway was waited for`()
        async throws
    {
        try await TestStore.open { store in
            let period = Self.period("9001")
            try await store.attach(period, to: Sample.user(1))
            store.clock.now = Self.end
            #expect(try await Self.chains(store).makeJobs() == 1)
            for (hours, jobs) in [(1, 1), (2, 0), (26, 0)] {
                store.clock.now = Self.end + Int64(hours) * Instant.millisecondsPerHour
                let state = VerifiedRenewal(
                    key: period.key, signedAt: store.clock.now, willRenew: true, isInRetry: true, course: .grace)
                try await store.tell(.renewal(state), of: Sample.user(1))
                #expect(try await Self.chains(store).makeJobs() == jobs, "\(hours)")
            }
        }
    }

    @Test func `grace that is told without its end is asked about at once, though a retry was told before`()
        async throws
    {
        try await TestStore.open { store in
            let period = Self.period("9001")
            try await store.attach(period, to: Sample.user(1))
            for (hours, course, jobs) in [
                (1, VerifiedRenewal.Course?.none, 0), (2, .grace, 1), (3, .grace, 1), (4, .grace, 0),
            ] {
                store.clock.now = Self.end + Int64(hours) * Instant.millisecondsPerHour
                let state = VerifiedRenewal(
                    key: period.key, signedAt: store.clock.now, willRenew: true, isInRetry: true, course: course)
                try await store.tell(.renewal(state), of: Sample.user(1))
                #expect(try await Self.chains(store).makeJobs() == jobs, "\(hours)")
            }
        }
    }

    @Test func `a rebuild writes the chains again, and what was asked stays`() async throws {
        try await TestStore.open { store in
            try await store.attach(Self.period("9001"), to: Sample.user(1))
            store.clock.now = Self.end
            #expect(try await Self.chains(store).makeJobs() == 1)
            let rows = try await store.schema.dump("chains")
            let projection = Projection(pool: store.pool, settings: Sample.settings, format: Sample.format)
            let catalogue = store.instances[0].versionCache.snapshot
            try await projection.rebuild(given: catalogue, at: store.clock.now)
            #expect(try await store.schema.dump("chains") == rows)
            try await store.schema.rows("DELETE FROM chains")
            try await projection.rebuild(given: catalogue, at: store.clock.now)
            #expect(try await store.schema.number("SELECT COUNT(*) FROM chains WHERE asked = 0") == 1)
        }
    }

    @Test func `a run that was cut off goes on, another process does not go on with it, and users are in order`()
        async throws
    {
        try await TestStore.open { store in
            for number in 1...5 { try await store.attach(Sample.pass("\(number)"), to: Sample.user(number)) }
            let runs = Reconciliations(pool: store.pool, now: { store.clock.now })
            let people = try await runs.people(since: nil, user: nil)
            #expect(people.map(\.users) == [5] && people.map(\.walks) == [5])
            #expect(try await runs.people(since: .distantFuture, user: nil).isEmpty)
            #expect(try await runs.people(since: nil, user: Sample.user(3)).map(\.users) == [1])
            var run = try #require(try await runs.begin(since: nil, ofOneUser: false))
            let first = try await runs.people(after: 0, since: nil, user: nil, limit: 2)
            #expect(first.map(\.user) == [Sample.user(1), Sample.user(2)])
            (run.place, run.users, run.purchases, run.unlisted) = (first[1].pseudonym, 2, 1, ["1"])
            #expect(try await runs.note(run, after: 0))
            #expect(try await !runs.note(run, after: 0), "it has gone on meanwhile")
            #expect(try await runs.begin(since: store.clock.now, ofOneUser: false)?.id != run.id)
            #expect(try await runs.begin(since: nil, ofOneUser: true)?.id != run.id)
            let again = try #require(try await runs.begin(since: nil, ofOneUser: false))
            #expect(again == run && again.missed == 1)
            let rest = try await runs.people(after: again.place, since: nil, user: nil, limit: 9)
            #expect(rest.map(\.user) == (3...5).map { Sample.user($0) })
            #expect(try await runs.note(again, after: again.place, isOver: true))
            #expect(try await runs.begin(since: nil, ofOneUser: false)?.id != run.id)
            let listed = try await OperatorReader(pool: store.pool).reconciliations(before: nil, limit: 9)
            #expect(listed.count == 4 && listed.last?.endedAt == store.clock.now && listed.last?.unlisted == ["1"])
        }
    }
}

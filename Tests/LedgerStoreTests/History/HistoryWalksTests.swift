import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// What Apple was asked about a person, and what is owed (`semantics.md` §6).
struct HistoryWalksTests {
    private static let account = Sample.labels.label(.account, "one")

    private static func walks(_ store: TestStore) -> HistoryWalks {
        HistoryWalks(pool: store.pool, now: { store.clock.now }, realNow: { store.clock.now })
    }

    private static func walk(_ id: String, of account: Label? = account, isProven: Bool = false) -> HistoryWalk {
        HistoryWalk(through: Sample.pass(id).key, of: account, isProven: isProven)
    }

    private static func jobs(_ store: TestStore) -> Jobs {
        Jobs(pool: store.pool, now: { store.clock.now }, jitter: { 1 })
    }

    /// Runs `body` with a user whose walks have begun.
    private static func begun(
        _ begun: [HistoryWalk],
        _ body: @Sendable (TestStore, HistoryWalks, UserID, UInt64, OwedWalks) async throws -> Void
    ) async throws {
        try await TestStore.open { store in
            let (user, walks) = (Sample.user(1), walks(store))
            for id in ["1", "2"] { try await store.attach(Sample.pass(id), to: user) }
            guard case .begun(let person) = try await walks.begin(begun, of: user, by: nil) else {
                Issue.record("it did not begin")
                return
            }
            try await body(store, walks, user, person, try #require(try await walks.owed(to: person)))
        }
    }

    @Test func `of many wishes at once one begins, and the others hear that an answer is owed`() async throws {
        try await TestStore.open { store in
            let (user, walks) = (Sample.user(1), Self.walks(store))
            #expect(try await walks.begin([Self.walk("1")], of: user, by: nil) == .unknownUser)
            try await store.attach(Sample.pass("1"), to: user)
            let begun = try await withThrowingTaskGroup(of: HistoryWalks.Begun.self) { group in
                for _ in 0..<12 { group.addTask { try await walks.begin([Self.walk("1")], of: user, by: nil) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(begun.count { $0 == .owed } == 11)
            #expect(try await store.schema.rows("SELECT kind FROM jobs") == [[.text("history")]])
        }
    }

    @Test func `a walk is recent for ten minutes after it was asked, and then begins anew`() async throws {
        let (first, second) = (Self.walk("1", isProven: true), Self.walk("2", of: nil))
        try await Self.begun([first, second]) { store, walks, user, person, owed in
            #expect(try await walks.note(first, of: person, in: owed, at: "r1", recovering: 2, isOver: false))
            let reached = try #require(try await walks.owed(to: person))
            #expect(reached.user == user && reached.walks.count == 2)
            let walk = reached.walks.first { $0.account == Self.account }
            #expect(walk?.revision == "r1" && walk?.isProven == true && walk?.purchase == first.purchase)
            #expect(reached.walks.contains { $0.account == nil && $0.purchase == second.purchase })
            #expect(try await !walks.isRecent(user))
            for walk in [first, second] {
                #expect(try await walks.note(walk, of: person, in: owed, at: "r2", recovering: 0, isOver: true))
            }
            #expect(try await walks.owed(to: person) == nil)
            #expect(try await walks.finish(person, owed) == 2)
            #expect(try await store.schema.rows("SELECT 1 FROM jobs").isEmpty)
            #expect(try await walks.isRecent(user))
            #expect(try await walks.begin([first], of: user, by: nil) == .recent)
            store.clock.now = store.clock.now + HistoryWalks.pause
            #expect(try await walks.begin([first], of: user, by: nil) == .begun(person: person))
            let again = try #require(try await walks.owed(to: person))
            #expect(again.walks.map(\.revision) == [nil])
            #expect(try await walks.finish(person, again) == 0)
        }
    }

    @Test func `a walker whose walk is over, or was begun anew, changes nothing`() async throws {
        let walk = Self.walk("1")
        try await Self.begun([walk]) { store, walks, user, person, owed in
            #expect(try await walks.note(walk, of: person, in: owed, at: "r1", recovering: 1, isOver: true))
            #expect(try await !walks.note(walk, of: person, in: owed, at: "r2", recovering: 1, isOver: false))
            let rest = try await walks.owed(to: person)
            #expect(rest == nil)
            store.clock.now = store.clock.now + HistoryWalks.pause
            #expect(try await walks.begin([walk], of: user, by: nil) == .begun(person: person))
            #expect(try await !walks.note(walk, of: person, in: owed, at: "r2", recovering: 1, isOver: true))
            #expect(try await walks.finish(person, owed) == 0)
            #expect(try await walks.owed(to: person)?.walks == [walk])
            #expect(try await store.schema.rows("SELECT 1 FROM jobs").count == 1, "the new walk keeps its job")
        }
    }

    @Test func `a proof that comes while a walk is owed counts for it, for an hour`() async throws {
        let proof = AccountProof(of: Self.account, in: Sample.app, Sample.pass("1").key.environment)
        try await Self.begun([Self.walk("1"), Self.walk("2", of: nil)]) { store, walks, user, person, owed in
            #expect(owed.walks.allSatisfy { !$0.isProven })
            store.clock.now = store.clock.now + 2 * HistoryWalks.proofLifetime
            #expect(try await walks.begin([], of: user, by: proof) == .owed)
            #expect(try await walks.begin([], of: user, by: nil) == .owed, "a wish without proof takes none away")
            let proven = try await walks.owed(to: person)?.walks.filter(\.isProven)
            #expect(proven?.map(\.proof) == [proof])
            store.clock.now = store.clock.now + HistoryWalks.proofLifetime
            #expect(try await walks.owed(to: person)?.walks.contains(where: \.isProven) == false)
        }
    }

    @Test func `walks whose job was given up begin anew`() async throws {
        try await Self.begun([Self.walk("1")]) { store, walks, user, person, _ in
            let jobs = Self.jobs(store)
            for _ in 0..<Jobs.maximumAttempts {
                store.clock.now = store.clock.now + 10 * 60_000
                for job in try await jobs.take(4, of: .history) { try await jobs.fail(job) }
            }
            #expect(try await store.schema.rows("SELECT 1 FROM jobs WHERE died_at IS NULL").isEmpty)
            #expect(try await walks.begin([Self.walk("1")], of: user, by: nil) == .begun(person: person))
            #expect(try await store.schema.rows("SELECT 1 FROM jobs WHERE died_at IS NULL").count == 1)
        }
    }

    @Test func `a walk at work holds its job, and one that died leaves it to the next worker`() async throws {
        try await Self.begun([Self.walk("1")]) { store, walks, _, person, owed in
            let jobs = Self.jobs(store)
            store.clock.now = store.clock.now + (Jobs.lease - 1)
            let early = try await jobs.take(4, of: .history)
            #expect(early.isEmpty)
            #expect(try await walks.note(Self.walk("1"), of: person, in: owed, at: "r1", recovering: 0, isOver: false))
            store.clock.now = store.clock.now + (Jobs.lease - 1)
            #expect(try await jobs.take(4, of: .history).isEmpty)
            store.clock.now = store.clock.now + 1
            #expect(try await jobs.take(4, of: .delivery).isEmpty, "each kind is taken apart")
            #expect(try await jobs.take(4, of: .history).map(\.subject) == [person])
        }
    }

    @Test func `a job that Apple put off is not due before the instant that Apple named`() async throws {
        try await Self.begun([Self.walk("1")]) { store, _, _, _, _ in
            let jobs = Self.jobs(store)
            store.clock.now = store.clock.now + Jobs.lease
            let job = try #require(try await jobs.take(4, of: .history).first)
            let end = store.clock.now + 3_600_000
            try await jobs.fail(job, counts: false, notBefore: end)
            store.clock.now = end + -1
            #expect(try await jobs.take(4, of: .history).isEmpty)
            store.clock.now = end
            #expect(try await jobs.take(4, of: .history).count == 1)
        }
    }

    @Test func `nothing is owed to an erased person, nor through a purchase that moved`() async throws {
        try await Self.begun([Self.walk("1"), Self.walk("2", of: nil)]) { store, walks, user, person, _ in
            _ = try await store.transfer(.one(PurchaseName(ExternalID("1"))), from: user, to: Sample.user(2))
            #expect(try await walks.owed(to: person)?.walks.map(\.purchase) == [Sample.pass("2").key])
            try await store.erase(user)
            #expect(try await walks.owed(to: person) == nil)
            #expect(try await store.schema.rows("SELECT 1 FROM history_walks").isEmpty)
            #expect(try await store.schema.rows("SELECT 1 FROM jobs WHERE kind = 'history'").isEmpty)
        }
    }

    @Test func `a pause is kept until its end, and a shorter one does not cut it`() async throws {
        try await TestStore.open { store in
            let pauses = ApplePauses(pool: store.pool)
            #expect(try await pauses.end(in: .production) == nil)
            let end = store.clock.now + 60_000
            try await pauses.pause(.production, until: end)
            try await pauses.pause(.production, until: store.clock.now)
            #expect(try await pauses.end(in: .production) == end)
            #expect(try await pauses.end(in: .sandbox) == nil)
        }
    }
}

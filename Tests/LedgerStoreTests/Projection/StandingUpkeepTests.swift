import Entitlements
import LedgerStore
import MariaDB
import Support
import Synchronization
import Testing

/// Rows of standings that nobody makes anew at once (`docs/decisions/stored-standings.md`).
@Suite struct StandingUpkeepTests {
    private let anna = Sample.user("anna")
    private let ben = Sample.user("ben")
    private static let end = Sample.epoch + 69 * Instant.millisecondsPerDay

    /// The rows of `standings` and `standing_answers`. Throws when the database is away.
    private func rows(_ store: TestStore) async throws -> [[[Value]]] {
        [try await store.schema.dump("standings"), try await store.schema.dump("standing_answers")]
    }

    private func isStored(_ user: UserID, in store: TestStore) async throws -> Bool {
        try await store.instances[0].standings.answer(about: user, at: store.clock.now) != nil
    }

    @Test func `a row that another transaction has locked is passed over, and made anew once it is free`() async throws
    {
        try await TestStore.open { store in
            for user in 1...5 { try await store.attach(Sample.pass("\(user)", day: 39), to: Sample.user(user)) }
            store.clock.now = Self.end
            let standings = store.instances[0].standings
            let writer = try await Connection.open(store.schema.settings)
            try await writer.with { (session) throws(DatabaseError) in
                try session.run(SQLStatement("begin", "START TRANSACTION"))
                try session.run(SQLStatement("hold", "SELECT 1 FROM users WHERE pseudonym = 3 FOR UPDATE"))
            }
            #expect(try await standings.makeDueAnew() == 4)
            #expect(try await standings.makeDueAnew() == 0)
            let active = "SELECT user_id FROM standings WHERE state = 'active'"
            #expect(try await store.schema.rows(active) == [[.uint64(3)]])
            #expect(try await standings.overdue().ended == 1)
            await writer.close()
            // A server frees the rows of a connection that is closed only some time later.
            var anew = 0
            for _ in 0..<200 where anew == 0 {
                anew = try await standings.makeDueAnew()
                if anew == 0 { try await Task.sleep(for: .milliseconds(50)) }
            }
            #expect(anew == 1)
            #expect(try await store.schema.rows(active) == [])
        }
    }

    @Test func `after a rollback the rows of the later form are left alone, until a rebuild makes them anew`()
        async throws
    {
        try await TestStore.open { store in
            try await store.attach(Sample.pass("1", day: 39), to: anna)
            try await store.attach(Sample.pass("2", day: 39), to: ben)
            try await store.schema.rows(
                "UPDATE standing_answers SET basis = basis + (1 << 32), body = 'later' WHERE user_id = 1")
            let later = try await store.schema.rows("SELECT * FROM standing_answers WHERE user_id = 1")
            store.clock.now = Self.end
            let standings = store.instances[0].standings
            #expect(try await standings.overdue().count == 1)
            #expect(try await standings.makeDueAnew() == 1)
            #expect(try await standings.makeWhole(after: 0) == 2)
            #expect(try await !isStored(anna, in: store))
            #expect(try await store.schema.rows("SELECT * FROM standing_answers WHERE user_id = 1") == later)
            try await Projection(pool: store.pool, settings: Sample.settings, format: Sample.format).rebuild(
                given: store.instances[0].versionCache.snapshot, at: store.clock.now)
            #expect(try await isStored(anna, in: store))
            #expect(try await store.schema.number("SELECT COUNT(*) FROM standings WHERE state = 'expired'") == 2)
        }
    }

    @Test func `an act with a device leaves the standing to the next question, and the first entry ever does not`()
        async throws
    {
        try await TestStore.open { store in
            try await store.attach(Sample.pass("1", day: 39), to: anna)
            let before = try await rows(store)
            for device in ["d", "e"] { _ = try await store.register(Sample.device(device), of: anna).get() }
            #expect(try await store.schema.number("SELECT ledger_length FROM users WHERE pseudonym = 1") == 4)
            #expect(try await rows(store) == before)
            #expect(try await !isStored(anna, in: store))
            #expect(try await store.instances[0].standings.makeDueAnew() == 0, "nothing of it is overdue")
            _ = try await store.ledger.record(for: [ben]) { history, _ in
                ConsentToConsumption(ben, consents: true).decide(given: history)
            }
            #expect(try await isStored(ben, in: store))
        }
    }

    @Test(arguments: ["standings", "standing_answers"])
    func `a user without a stored answer is passed over by the integrity check`(_ table: String) async throws {
        try await TestStore.open { store in
            for user in [anna, ben] { try await store.attach(Sample.pass(user.text, day: 39), to: user) }
            let projection = Projection(pool: store.pool, settings: Sample.settings, format: Sample.format)
            let derived = (projection, store.instances[0].versionCache.snapshot)
            try await store.schema.rows("DELETE FROM \(table) WHERE user_id = 2")
            let check = try await IntegrityCheck(of: store.pool, derived: derived) { _ in }
            #expect(check.derived.map(\.user) == (table == "standings" ? [ben] : []))
            for table in ["standings", "standing_answers"] { try await store.schema.rows("TRUNCATE TABLE \(table)") }
            #expect(try await IntegrityCheck(of: store.pool, derived: derived) { _ in }.derived == [])
        }
    }

    @Test func `the pseudonym of a user whose ledger cannot be read is told once`() async throws {
        try await TestStore.open { store in
            for user in 1...3 { try await store.attach(Sample.pass("\(user)", day: 39), to: Sample.user(user)) }
            try await store.schema.rows("UPDATE ledger_entries SET content = '[]' WHERE user_id = 2 AND seq = 1")
            store.clock.now = Self.end
            let told = Mutex<[UInt64]>([])
            let ledger = Ledger(
                pool: store.pool, catalogue: store.instances[0].versionCache, settings: Sample.ledgerSettings,
                format: Sample.format, now: { store.clock.now }, salt: { [] })
            let standings = ledger.standings { pseudonym in told.withLock { $0.append(pseudonym) } }
            #expect(try await standings.makeDueAnew() == 3)
            #expect(told.withLock { $0 } == [2])
            #expect(try await standings.makeDueAnew() == 0)
            #expect(try await standings.makeWhole(after: 0) == 3)
            #expect(told.withLock { $0 } == [2], "there was nothing left to remove")
        }
    }
}

import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// Stored standings: when their answers are sent, when they give way, and who makes them anew (`semantics.md` §1).
@Suite struct StandingTests {
    private let anna = Sample.user("anna")
    private let ben = Sample.user("ben")
    private static let day = Instant.millisecondsPerDay

    /// The answer as it is made from the ledger.
    private func made(_ user: UserID, at: Instant, in store: TestStore) async throws -> String {
        let status = try await store.timeline(of: user).status(at: at)
        return [status.tier?.text ?? "-", "\(status.expiresAt?.milliseconds ?? 0)", status.state.rawValue]
            .joined(separator: " ")
    }

    /// The stored answer, if one is sent.
    private func stored(_ user: UserID, at: Instant, in store: TestStore, via: Int = 0) async throws -> String? {
        try await store.instances[via].standings.answer(about: user, at: at).map {
            String(decoding: $0.substance, as: UTF8.self)
        }
    }

    /// Waits until the answer of the present instant is stored.
    private func isKept(_ user: UserID, in store: TestStore) async throws -> Bool {
        for _ in 0..<200 {
            if try await stored(user, at: store.clock.now, in: store) != nil { return true }
            try await Task.sleep(for: .milliseconds(5))
        }
        return false
    }

    /// Folds the ledger and has the standing kept behind, as a status does.
    private func keep(
        _ user: UserID, in store: TestStore, via: Int = 0, settings: EntitlementSettings = Sample.settings
    )
        async throws
    {
        let instance = store.instances[via]
        let (ledger, head) = try await instance.reader.read(user)
        let (catalogue, now) = (instance.versionCache.snapshot, store.clock.now)
        let timeline = Timeline(folding: ledger, given: catalogue, settings: settings)
        let standing = Standing(of: ledger, in: timeline, at: now)
        let text = [
            standing.status.tier?.text ?? "-", "\(standing.status.expiresAt?.milliseconds ?? 0)",
            standing.status.state.rawValue,
        ].joined(separator: " ")
        let answer = StandingAnswer(substance: Array(text.utf8), entityTag: text)
        instance.standings.keep(standing, answer, of: try #require(head), given: catalogue)
    }

    @Test func `an attach stores the standing, which is sent until its time is over`() async throws {
        try await TestStore.open(instances: 2) { store in
            try await store.attach(Sample.pass("1", day: 39), to: anna)
            let now = store.clock.now
            let end = Sample.epoch + 69 * Self.day
            #expect(try await stored(anna, at: now, in: store) == "pro \(end.milliseconds) active")
            #expect(try await stored(anna, at: now, in: store, via: 1) == made(anna, at: now, in: store))
            #expect(try await stored(anna, at: end + -1, in: store) == made(anna, at: end + -1, in: store))
            #expect(try await stored(anna, at: end, in: store) == nil)
            #expect(try await stored(anna, at: now + -1, in: store) == nil)
            #expect(try await stored(ben, at: now, in: store) == nil)
            let rows = try await store.schema.rows(
                "SELECT state, tier, tier_rank, source, environment, product_id, ends_at, access_ends_at FROM standings"
            )
            #expect(
                rows == [
                    [
                        "active", "pro", 2, "apple_iap", "Production", "pass.30", .int64(end.milliseconds),
                        .int64(end.milliseconds),
                    ]
                ])
        }
    }

    @Test(arguments: [
        "ledger_length = ledger_length - 1", "ledger_length = ledger_length + 1", "basis = basis - 1",
        "basis = basis + 1", "basis = basis + (1 << 32)", "settings = 'nobody,24,24'", "valid_from = valid_from + 1",
        "valid_until = valid_from", "body = NULL",
    ])
    func `an answer that differs in one thing is not sent`(_ edit: String) async throws {
        try await TestStore.open { store in
            try await store.attach(Sample.pass("1", day: 39), to: anna)
            #expect(try await stored(anna, at: store.clock.now, in: store) != nil)
            try await store.schema.rows("UPDATE standing_answers SET " + edit)
            #expect(try await stored(anna, at: store.clock.now, in: store) == nil)
        }
    }

    @Test func `of a ledger that has grown no earlier answer is sent, and the next status keeps a new one`()
        async throws
    {
        try await TestStore.open { store in
            try await store.attach(Sample.sale("c", of: "coins.100", .consumable, day: 39), to: anna)
            #expect(try await stored(anna, at: store.clock.now, in: store) != nil)
            _ = try await store.spend(1, of: anna, under: "r")
            #expect(try await stored(anna, at: store.clock.now, in: store) == nil)
            try await keep(anna, in: store)
            #expect(try await isKept(anna, in: store))
        }
    }

    @Test func `an answer that comes late is dropped when the ledger has grown or the person is erased`() async throws {
        try await TestStore.open(instances: 2) { store in
            try await store.attach(Sample.pass("1", day: 39), to: anna)
            let (ledger, head) = try await store.instances[1].reader.read(anna)
            let catalogue = store.instances[1].versionCache.snapshot
            let timeline = Timeline(folding: ledger, given: catalogue, settings: Sample.settings)
            let standing = Standing(of: ledger, in: timeline, at: store.clock.now)
            let late = StandingAnswer(substance: Array("late".utf8), entityTag: "late")
            try await store.attach(Sample.pass("2", day: 39), to: anna)
            let newest = try await stored(anna, at: store.clock.now, in: store)
            store.instances[1].standings.keep(standing, late, of: try #require(head), given: catalogue)
            try await store.attach(Sample.pass("3", day: 39), to: ben)
            try await store.schema.rows("DELETE FROM standing_answers WHERE user_id = 2")
            try await keep(ben, in: store, via: 1)
            #expect(try await isKept(ben, in: store), "what came after it is kept, so it was looked at")
            #expect(try await stored(anna, at: store.clock.now, in: store) == newest)
            try await store.erase(anna)
            store.instances[1].standings.keep(standing, late, of: try #require(head), given: catalogue)
            try await store.schema.rows("DELETE FROM standing_answers WHERE user_id = 2")
            try await keep(ben, in: store, via: 1)
            #expect(try await isKept(ben, in: store))
            for table in ["standings", "standing_answers"] {
                #expect(try await store.schema.number("SELECT COUNT(*) FROM \(table) WHERE user_id = 1") == 0)
            }
        }
    }

    @Test func `the answer of an instance with other settings is left alone for a minute`() async throws {
        try await TestStore.open { store in
            try await store.attach(Sample.pass("1", day: 39), to: anna)
            let theirs = "UPDATE standing_answers SET settings = 'testers,24,24'"
            let settings = "SELECT settings FROM standing_answers WHERE user_id = 1"
            try await store.attach(Sample.pass("2", day: 39), to: ben)
            for (milliseconds, isKept) in [(59_999, false), (60_000, true)] as [(Int64, Bool)] {
                try await store.schema.rows(theirs)
                let from = try await store.schema.number("SELECT valid_from FROM standing_answers WHERE user_id = 1")
                store.clock.now = Instant(milliseconds: Int64(from)) + milliseconds
                try await keep(anna, in: store)
                try await store.schema.rows("DELETE FROM standing_answers WHERE user_id = 2")
                try await keep(ben, in: store)
                #expect(try await self.isKept(ben, in: store))
                let found = try await store.schema.rows(settings)
                #expect(found == [[isKept ? "everyone,24,24" : "testers,24,24"]])
            }
        }
    }

    @Test func `rows whose time is over are made anew once, by whichever instance comes first`() async throws {
        try await TestStore.open(instances: 2) { store in
            let count = TestRun.rounds(450, soak: 20_000)
            for first in stride(from: 1, through: count, by: 450) {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for user in first..<min(first + 450, count + 1) {
                        group.addTask {
                            try await store.attach(Sample.pass("\(user)", day: 39), to: Sample.user(user))
                        }
                    }
                    try await group.waitForAll()
                }
            }
            #expect(try await store.instances[0].standings.makeDueAnew() == 0)
            store.clock.now = Sample.epoch + 69 * Self.day
            let overdue = try await store.instances[0].standings.overdue()
            #expect(overdue.ended == count && overdue.outdated == 0 && overdue.since == store.clock.now)
            let made = try await withThrowingTaskGroup(of: Int.self) { group in
                for instance in store.instances {
                    group.addTask {
                        var (sum, idle) = (0, 0)
                        while idle < 5 {
                            let made = try await instance.standings.makeDueAnew()
                            (sum, idle) = (sum + made, made == 0 ? idle + 1 : 0)
                            if made == 0 { try await Task.sleep(for: .milliseconds(20)) }
                        }
                        return sum
                    }
                }
                return try await group.reduce(0, +)
            }
            #expect(made == count)
            #expect(try await store.instances[1].standings.overdue().ended == 0)
            #expect(try await store.schema.number("SELECT COUNT(*) FROM standings WHERE state = 'expired'") == count)
            #expect(try await stored(Sample.user(7), at: store.clock.now, in: store)?.hasSuffix("expired") == true)
        }
    }

    @Test func `a new catalogue makes all rows outdated, and both tables follow from it afterwards`() async throws {
        try await TestStore.open { store in
            try await store.attach(Sample.pass("1", of: "pass.new", day: 39), to: anna)
            try await store.attach(Sample.pass("2", day: 39), to: ben)
            #expect(try await stored(anna, at: store.clock.now, in: store)?.hasSuffix("none") == true)
            store.clock.now = store.clock.now + 1
            _ = try await CatalogueVersionCache.apply("more", to: store.pool, at: store.clock.now) { $0 == "more" }
            #expect(try await stored(anna, at: store.clock.now, in: store) == nil, "the catalogue is another one")
            try await store.instances[0].versionCache.refresh()
            #expect(try await store.instances[0].standings.overdue().outdated == 2)
            #expect(try await store.instances[0].standings.makeDueAnew() == 2)
            #expect(try await store.instances[0].standings.makeDueAnew() == 0)
            for user in [anna, ben] {
                let answer = try await stored(user, at: store.clock.now, in: store)
                #expect(answer?.hasSuffix("active") == true)
                #expect(try await answer == made(user, at: store.clock.now, in: store))
            }
            #expect(try await store.schema.counts()["subscriptions"] == 2)
        }
    }

    @Test func `whoever asks after a new catalogue has both tables made anew without the upkeep`() async throws {
        try await TestStore.open { store in
            try await store.attach(Sample.pass("1", of: "pass.new", day: 39), to: anna)
            store.clock.now = store.clock.now + 1
            _ = try await CatalogueVersionCache.apply("more", to: store.pool, at: store.clock.now) { $0 == "more" }
            try await store.instances[0].versionCache.refresh()
            try await keep(anna, in: store)
            #expect(try await isKept(anna, in: store))
            #expect(try await stored(anna, at: store.clock.now, in: store)?.hasSuffix("active") == true)
            #expect(try await store.schema.counts()["subscriptions"] == 1)
            #expect(try await store.instances[0].standings.overdue().outdated == 0)
        }
    }

    @Test(arguments: [
        "UPDATE ledger_entries SET content = '[]' WHERE user_id = 2 AND seq = 1",
        "DELETE FROM ledger_entries WHERE user_id = 2",
    ])
    func `a ledger that cannot be read loses its standing, and holds up nobody else's`(_ edit: String) async throws {
        try await TestStore.open { store in
            for user in 1...4 { try await store.attach(Sample.pass("\(user)", day: 39), to: Sample.user(user)) }
            try await store.schema.rows(edit)
            store.clock.now = Sample.epoch + 69 * Self.day
            #expect(try await store.instances[0].standings.makeDueAnew() == 4)
            #expect(try await store.instances[0].standings.makeDueAnew() == 0)
            #expect(try await store.instances[0].standings.overdue().count == 0)
            for table in ["standings", "standing_answers"] {
                let rows = try await store.schema.rows("SELECT user_id FROM \(table) ORDER BY user_id")
                #expect(rows == [[.uint64(1)], [.uint64(3)], [.uint64(4)]])
            }
        }
    }

    @Test func `after a start rows that are missing are made, and those of other settings`() async throws {
        try await TestStore.open { store in
            for user in 1...7 { try await store.attach(Sample.pass("\(user)", day: 39), to: Sample.user(user)) }
            let standings = store.instances[0].standings
            for edit in [
                "DELETE FROM standings WHERE user_id IN (1, 3)", "DELETE FROM standing_answers WHERE user_id IN (2, 3)",
                "DELETE FROM subscriptions WHERE user_id = 3",
                "UPDATE ledger_entries SET content = '[]' WHERE user_id = 6",
                "UPDATE standing_answers SET settings = 'a' WHERE user_id IN (4, 5, 6)",
                "UPDATE standing_answers SET basis = basis + 1 WHERE user_id = 5",
            ] {
                try await store.schema.rows(edit)
            }
            #expect(try await standings.makeWhole(after: 0) == 7)
            #expect(try await standings.makeWhole(after: 7) == nil)
            for (table, count) in [("standings", 6), ("standing_answers", 6), ("subscriptions", 7)] {
                #expect(try await store.schema.counts()[table] == count, "\(table)")
            }
            let foreign = try await store.schema.rows(
                "SELECT user_id FROM standing_answers WHERE settings <> 'everyone,24,24'")
            #expect(foreign == [[.uint64(5)]], "a newer server wrote that row")
        }
    }

    @Test func `making rows whole waits for whoever writes, and leaves nobody out`() async throws {
        try await TestStore.open { store in
            for user in 1...3 { try await store.attach(Sample.pass("\(user)", day: 39), to: Sample.user(user)) }
            try await store.schema.rows("DELETE FROM standings")
            let writer = try await Connection.open(store.schema.settings)
            try await writer.with { (session) throws(DatabaseError) in
                try session.run(SQLStatement("begin", "START TRANSACTION"))
                try session.run(SQLStatement("hold", "SELECT 1 FROM users WHERE pseudonym = 2 FOR UPDATE"))
            }
            async let place = store.instances[0].standings.makeWhole(after: 0)
            try await Task.sleep(for: .milliseconds(300))
            #expect(try await store.schema.counts()["standings"] == 0)
            await writer.close()
            #expect(try await place == 3)
            #expect(try await store.schema.counts()["standings"] == 3)
        }
    }

    @Test func `a row of subscriptions that SQL made senseless keeps nobody from buying`() async throws {
        try await TestStore.open { store in
            try await store.attach(Sample.pass("1", day: 39), to: anna)
            try await store.schema.rows("UPDATE subscriptions SET environment = 'x'")
            try await store.attach(Sample.pass("2", day: 39), to: anna)
            #expect(try await store.schema.counts()["subscriptions"] == 2)
        }
    }

    @Test(arguments: [
        ("UPDATE standings SET tier = 'basic'", LedgerFault.Defect.standing),
        ("UPDATE standings SET ends_at = ends_at + 1", .standing), ("DELETE FROM standings", .standing),
        ("UPDATE standing_answers SET body = 'x'", .standing),
        ("UPDATE standing_answers SET valid_until = valid_until + 1", .standing),
        ("UPDATE standing_answers SET entity_tag = 'x'", .standing),
        ("UPDATE subscriptions SET expires_at = expires_at + 1", .subscriptions),
        ("UPDATE subscriptions SET environment = 'x'", .subscriptions),
        ("DELETE FROM subscriptions", .subscriptions),
    ])
    func `whatever SQL changes in derived rows is found, and a rebuild mends it`(
        _ edit: String, _ defect: LedgerFault.Defect
    ) async throws {
        try await TestStore.open { store in
            try await store.attach(Sample.pass("1", day: 39), to: anna)
            try await store.attach(Sample.pass("2", day: 39), to: ben)
            let projection = Projection(pool: store.pool, settings: Sample.settings, format: Sample.format)
            let catalogue = store.instances[0].versionCache.snapshot
            func found() async throws -> [LedgerFault] {
                try await IntegrityCheck(of: store.pool, derived: (projection, catalogue)) { _ in }.derived
            }
            #expect(try await found() == [])
            try await store.schema.rows(edit + " WHERE user_id = 2")
            #expect(try await found() == [LedgerFault(user: ben, pseudonym: 2, defect: defect)])
            let hers = try await IntegrityCheck(of: store.pool, derived: (projection, catalogue), ledgerOf: anna)
            let his = try await IntegrityCheck(of: store.pool, derived: (projection, catalogue), ledgerOf: ben)
            #expect(hers?.derived == [] && his?.derived.count == 1)
            #expect(try await projection.rebuild(ben, given: catalogue, at: store.clock.now))
            #expect(try await found() == [])
        }
    }

    @Test func `both tables may be emptied at any time, and a rebuild fills them`() async throws {
        try await TestStore.open { store in
            for user in 1...5 { try await store.attach(Sample.pass("\(user)", day: 39), to: Sample.user(user)) }
            let before = try await (store.schema.dump("standings"), store.schema.dump("standing_answers"))
            for table in ["standings", "standing_answers"] { try await store.schema.rows("TRUNCATE TABLE \(table)") }
            #expect(try await stored(Sample.user(1), at: store.clock.now, in: store) == nil)
            try await keep(Sample.user(1), in: store)
            #expect(try await isKept(Sample.user(1), in: store))
            try await Projection(pool: store.pool, settings: Sample.settings, format: Sample.format).rebuild(
                given: store.instances[0].versionCache.snapshot, at: store.clock.now)
            let after = try await (store.schema.dump("standings"), store.schema.dump("standing_answers"))
            #expect(after.0 == before.0 && after.1 == before.1)
        }
    }
}

import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// Ledgers of more entries than others should wait for, and ledgers that grow elsewhere.
@Suite struct HeavyLedgerTests {
    private let anna = Sample.user("anna")
    private let ben = Sample.user("ben")

    /// Enters `count` changes of the consent. Throws when the database is away.
    private func fill(_ user: UserID, _ count: Int, _ store: TestStore, via instance: Int = 0) async throws {
        _ = try await store.instances[instance].ledger.record(for: [user]) { (history: PurchaseHistory) in
            let drafts = (0..<count).map { LedgerEntry.Draft(.consumptionConsent($0 % 2 == 0), at: history.now) }
            return Decision<Void, Never>(drafts: [user: drafts], answer: .success(()))
        }
    }

    @Test func `a heavy ledger is read in slices and is what was recorded`() async throws {
        try await TestStore.open(instances: 2) { store in
            try await store.attach(Sample.pass("1"), to: anna)
            for _ in 0..<3 { try await fill(anna, 3_001, store) }
            try await store.attach(Sample.pass("2", day: 30), to: anna)
            let kept = try await store.instances[0].reader.ledger(of: anna)
            #expect(kept.entries.count == 9_007)
            #expect(try await store.instances[1].reader.ledger(of: anna) == kept)
            #expect(try await store.ledger(of: anna) == kept)
            #expect(try await LedgerCheck(pool: store.pool).faults() == [])
        }
    }

    @Test func `acts on heavy ledgers and on others' that meet in one batch are all recorded, through two instances`()
        async throws
    {
        try await TestStore.open(instances: 2) { store in
            try await store.attach(Sample.pass("a"), to: anna)
            try await fill(anna, 5_000, store)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for racer in 0..<64 {
                    group.addTask {
                        let user = [anna, ben, Sample.user("u\(racer)")][racer % 3]
                        try await store.attach(Sample.pass("\(racer)", day: 20), to: user, via: racer % 2)
                        // Anna's own, which is refused and reads her ledger all the same.
                        let hers = try await store.attach(Sample.pass("a", signedDay: racer), to: user, via: racer % 2)
                        #expect(hers == (user == anna ? .success(.alreadyTheirs) : .failure(.ownedByAnotherUser)))
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await store.schema.number("SELECT COUNT(*) FROM purchases WHERE user_id IS NOT NULL") == 65)
            for user in [anna, ben] {
                let read = try await store.ledger(of: user)
                for instance in store.instances { #expect(try await instance.reader.ledger(of: user) == read) }
            }
            #expect(try await LedgerCheck(pool: store.pool).faults() == [])
        }
    }

    @Test func `while a heavy ledger is locked, whoever shows one of its purchases holds nobody up`() async throws {
        try await TestStore.open { store in
            try await store.attach(Sample.pass("annas"), to: anna)
            try await fill(anna, 5_000, store)
            // Its transaction ends when it is closed.
            let holder = try await Connection.open(store.settings)
            try await holder.with { (session) throws(DatabaseError) in
                try session.execute(SQLStatement("begin", "START TRANSACTION"))
                _ = try session.query(SQLStatement("lock", "SELECT 1 FROM users WHERE user_id = 'anna' FOR UPDATE"))
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for thief in 0..<8 {
                    group.addTask {
                        let refused = try await store.attach(Sample.pass("annas"), to: Sample.user("thief\(thief)"))
                        #expect(refused == .failure(.ownedByAnotherUser))
                    }
                }
                group.addTask { try await store.attach(Sample.pass("annas"), to: anna) }
                // These end though those wait.
                for number in 0..<8 {
                    let attached = try await store.attach(Sample.pass("\(number)"), to: Sample.user("u\(number)"))
                    #expect(attached == .success(.unowned))
                }
                await holder.close()
                try await group.waitForAll()
            }
        }
    }

    @Test func `what another instance recorded is read on, and not the whole ledger anew`() async throws {
        let server = try await PrivateMariaDB.start(PrivateMariaDB.Options())
        defer { server.kill() }
        try await TestStore.open(instances: 2, server: server) { store in
            try await fill(anna, 6_000, store)
            try await fill(ben, 600, store)
            for user in [anna, ben] {
                _ = try await store.instances[1].reader.ledger(of: user)
                try await fill(user, 2, store)
                let (start, sent) = try await (store.rowsRead, store.rowsSent)
                let ledger = try await store.instances[1].reader.ledger(of: user)
                #expect(ledger.entries.count == (user == anna ? 6_002 : 602))
                #expect(try await store.rowsSent - sent < 30)
                if user == anna { #expect(try await store.rowsRead - start < 100) }
            }
        }
    }

    @Test func `whoever comes back under an erased person's id has a ledger of their own in every instance`()
        async throws
    {
        try await TestStore.open(instances: 2) { store in
            try await fill(anna, 5, store)
            #expect(try await store.instances[1].reader.ledger(of: anna).entries.count == 5)
            try await store.erase(anna)
            #expect(try await store.instances[1].reader.ledger(of: anna).entries.isEmpty)
            for count in [3, 4] {
                try await fill(anna, count, store)
                let ledger = try await store.ledger(of: anna)
                for instance in store.instances { #expect(try await instance.reader.ledger(of: anna) == ledger) }
                #expect(ledger.entries.count == (count == 3 ? 3 : 7))
            }
        }
    }
}

extension TestStore {
    /// How many rows the whole server, which serves nobody else, has read by now. Throws what it refuses.
    fileprivate var rowsRead: Int {
        get async throws { try await status("HANDLER_READ_NEXT") }
    }

    /// How many rows it has sent.
    fileprivate var rowsSent: Int {
        get async throws { try await status("ROWS_SENT") }
    }

    private func status(_ name: String) async throws -> Int {
        try await schema.number(
            "SELECT CAST(variable_value AS INT) FROM information_schema.global_status WHERE variable_name = '\(name)'")
    }
}

import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// Many users at once, in one writer queue and in two that know nothing of each other (`threats.md` I1, I4, I5).
@Suite(.serialized) struct LedgerRaceTests {
    @Test func `two hundred requests share few transactions and each gets its own answer`() async throws {
        try await TestStore.open { store in
            try await store.attach(Sample.pass("taken"), to: Sample.user("owner"))
            let answers = try await withThrowingTaskGroup(of: (Int, Result<Claim, AttachRefusal>).self) { group in
                for number in 0..<200 {
                    // Every tenth wants what is taken; every tenth is a second purchase of the first user.
                    let id = number % 10 == 9 ? "taken" : "\(number)"
                    let user = Sample.user(number % 10 == 8 ? 0 : number)
                    group.addTask { (number, try await store.attach(Sample.pass(id, day: number % 7), to: user)) }
                }
                return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            }
            #expect(answers.count == 200)
            for (number, answer) in answers {
                #expect(answer == (number % 10 == 9 ? .failure(.ownedByAnotherUser) : .success(.unowned)))
            }
            let counts = try await store.schema.counts()
            #expect(counts["purchases"] == 181)
            #expect(
                try await store.schema.number(
                    "SELECT COUNT(*) FROM purchases p JOIN users u ON u.pseudonym = p.user_id WHERE u.user_id = 'u0'")
                    == 21)
            try await expectInvariants(store)
        }
    }

    @Test func `of 64 users who race for one purchase through two instances one wins`() async throws {
        try await TestStore.open(instances: 2) { store in
            var winners: [UserID: Int] = [:]
            for round in 0..<TestRun.rounds(20, soak: 500) {
                let answers = try await withThrowingTaskGroup(of: (UserID, Result<Claim, AttachRefusal>).self) {
                    group in
                    for racer in 0..<64 {
                        // Each round another is first in line.
                        let user = Sample.user((racer + round) % 64)
                        group.addTask {
                            (user, try await store.attach(Sample.pass("race \(round)"), to: user, via: racer % 2))
                        }
                    }
                    return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
                }
                let won = answers.filter { $0.value == .success(.unowned) }
                #expect(won.count == 1)
                #expect(answers.values.count { $0 == .failure(.ownedByAnotherUser) } == 63)
                let owners = try await store.schema.rows(
                    """
                    SELECT u.user_id FROM purchases p JOIN users u ON u.pseudonym = p.user_id
                    WHERE p.external_id = 'race \(round)'
                    """)
                #expect(owners == won.keys.map { [.text($0.text)] })
                for winner in won.keys { winners[winner, default: 0] += 1 }
            }
            // The races were races: it was not always the same who won.
            #expect(winners.count > 1)
            try await expectInvariants(store)
        }
    }

    @Test func `eight users who restore the same items in any order meet no error`() async throws {
        try await TestStore.open(instances: 2) { store in
            for round in 0..<TestRun.rounds(10, soak: 300) {
                var chance = SeededChance("restores \(round)")
                let items = (0..<50).map { Sample.pass("\(round)-\($0)", day: $0 % 9) }
                let orders = (0..<8).map { _ in items.shuffled(using: &chance) }
                let won = try await withThrowingTaskGroup(of: Int.self) { group in
                    for (racer, order) in orders.enumerated() {
                        group.addTask {
                            let verdicts = try await store.restore(order, to: Sample.user(racer), via: racer % 2)
                            #expect(verdicts.count == 50)
                            return verdicts.count { $0 == .claimed(.unowned) }
                        }
                    }
                    return try await group.reduce(into: 0) { $0 += $1 }
                }
                #expect(won == 50)
            }
            try await expectInvariants(store)
        }
    }

    @Test func `states of one purchase that come through two instances at once are all kept, once each`() async throws {
        try await TestStore.open(instances: 2) { store in
            for round in 0..<TestRun.rounds(10, soak: 200) {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for racer in 0..<32 {
                        let state = Sample.pass(
                            "\(round)", signedDay: racer % 8, revokedDay: racer % 8 > 4 ? racer % 8 : nil)
                        group.addTask { try await store.attach(state, to: Sample.user(racer % 3), via: racer % 2) }
                    }
                    try await group.waitForAll()
                }
                let states = try await store.schema.number(
                    """
                    SELECT COUNT(*) FROM apple_iap_transactions t JOIN purchases p ON p.id = t.purchase_id
                    WHERE p.external_id = '\(round)'
                    """)
                #expect(states == 8)
            }
            try await expectInvariants(store)
        }
    }

    /// Each purchase's states that are no repeats stand exactly once in its owner's ledger and nowhere else, and chains
    /// and projection hold.
    private func expectInvariants(_ store: TestStore) async throws {
        let misplaced = """
            SELECT COUNT(*) FROM apple_iap_transactions t JOIN purchases p ON p.id = t.purchase_id
            WHERE NOT (t.user_id <=> p.user_id) OR p.user_id IS NOT NULL AND
                (SELECT COUNT(*) FROM ledger_entries l WHERE l.state_id = t.id AND l.user_id = p.user_id)
                    NOT BETWEEN \(TestSchema.isNoRepeat) AND 1
            """
        #expect(try await store.schema.number(misplaced) == 0)
        let foreign = """
            SELECT COUNT(*) FROM ledger_entries l JOIN purchases p ON p.id = l.purchase_id WHERE l.user_id <> p.user_id
            """
        #expect(try await store.schema.number(foreign) == 0)
        let bindings = """
            SELECT COUNT(*) FROM purchases p WHERE p.user_id IS NOT NULL AND
                (SELECT COUNT(*) FROM ledger_entries l WHERE l.purchase_id = p.id AND l.kind = 'bound') <> 1
            """
        #expect(try await store.schema.number(bindings) == 0)
        let order = """
            SELECT COUNT(*) FROM ledger_entries a JOIN ledger_entries b ON b.user_id = a.user_id AND b.seq = a.seq + 1
            WHERE b.recorded_at <= a.recorded_at
            """
        #expect(try await store.schema.number(order) == 0)
        #expect(try await LedgerChain.faults(in: store.schema) == [])
        let before = try await store.schema.dump("subscriptions")
        #expect(!before.isEmpty)
        try await Projection(pool: store.pool, settings: Sample.settings, format: Sample.format).rebuild(
            given: store.instances[0].versionCache.snapshot, at: store.clock.now)
        #expect(try await store.schema.dump("subscriptions") == before)
    }
}

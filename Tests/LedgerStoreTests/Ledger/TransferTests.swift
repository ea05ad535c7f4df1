import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// A purchase that moves stands in both ledgers, and what is learned of it later enters both (`semantics.md` §5).
@Suite(.serialized) struct TransferTests {
    private let anna = Sample.user("anna")
    private let ben = Sample.user("ben")
    private let cleo = Sample.user("cleo")

    @Test func `a transfer moves the rest and both ledgers say so`() async throws {
        try await TestStore.open { store in
            try await store.restore([Sample.pass("1", day: 0), Sample.pass("2", day: 30)], to: anna)
            let key = Sample.pass("2").key
            #expect(
                try await store.transfer(.one(PurchaseName(ExternalID("2"))), from: anna, to: ben) == .success([key]))
            let given = try await store.ledger(of: anna)
            let received = try await store.ledger(of: ben)
            let handover = Handover(cause: .operator, ran: 10 * Instant.millisecondsPerDay)
            #expect(given.entries.last?.fact == .gaveAway(key, handover))
            #expect(
                received.entries.map(\.fact) == [
                    .stated(.purchase(Sample.pass("2", day: 30))), .received(key, handover),
                ])
            #expect(received.entries.first?.effectiveAt == Sample.pass("2", day: 30).signedAt)
            for ledger in [given, received] {
                #expect(ledger.entries.last?.effectiveAt == store.clock.now)
                let words = try await store.instances[0].reader.notes(Set(ledger.entries.compactMap(\.note)))
                #expect(ledger.entries.last?.note.flatMap { words[$0] } == Sample.note)
            }
            #expect(try await store.schema.counts()["notes"] == 1, "they stand once for both")
            #expect(try await owner(of: "2", in: store) == "ben")
            #expect(try await store.schema.number(Self.misplacedStates) == 0)
            #expect(try await days(store) == ["1 anna": [0, 30], "2 anna": [30, 40], "2 ben": [40, 60]])
            try await expectWhole(store)
        }
    }

    @Test func `what comes and goes on in one batch is known to be had before, and its refund reaches both`()
        async throws
    {
        try await TestStore.open { store in
            let busy = ["x", "y"].map { Sample.user($0) }
            for user in busy { try await store.attach(Sample.pass("of \(user)"), to: user) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                // Both runners of the queue wait, so that what comes meanwhile shares a batch.
                group.addTask {
                    try await store.pool.transaction { (session) throws(DatabaseError) in
                        _ = try session.query(
                            SQLStatement("lock", "SELECT pseudonym FROM users WHERE user_id IN ('x', 'y') FOR UPDATE"))
                        for _ in 0..<2 { _ = try session.query(SQLStatement("wait", "SELECT SLEEP(3)")) }
                    }
                }
                for user in busy {
                    try await Task.sleep(for: .milliseconds(200))
                    group.addTask { try await store.attach(Sample.pass("more of \(user)"), to: user) }
                }
                try await Task.sleep(for: .milliseconds(200))
                group.addTask { try await store.attach(Sample.pass("1", day: 30), to: anna) }
                try await Task.sleep(for: .milliseconds(200))
                group.addTask {
                    let moved = try await store.transfer(
                        .one(PurchaseName(ExternalID("1"))), from: anna, to: ben)
                    #expect(moved == .success([Sample.pass("1").key]))
                }
                try await group.waitForAll()
            }
            try await store.attach(Sample.pass("1", day: 30, signedDay: 41, revokedDay: 41), to: cleo)
            for user in [anna, ben] {
                #expect(try await store.ledger(of: user).entries.last?.fact.state?.revocation != nil, "\(user)")
            }
            try await expectWhole(store)
            #expect(try await LedgerCheck(pool: store.pool).faults() == [])
        }
    }

    @Test func `a later refund enters the ledgers of all who had the purchase, whoever sends it`() async throws {
        try await TestStore.open(instances: 2) { store in
            try await store.attach(Sample.pass("1", day: 30), to: anna)
            try await store.transfer(.all, from: anna, to: ben)
            store.clock.now = store.clock.now + Instant.millisecondsPerDay
            try await store.transfer(.all, from: ben, to: cleo, via: 1)
            let refund = Sample.pass("1", day: 30, signedDay: 42, revokedDay: 42)
            #expect(
                try await store.attach(refund, to: Sample.user("dora"), via: 1) == .failure(.ownedByAnotherUser))
            for user in [anna, ben, cleo] {
                let facts = try await store.ledger(of: user).entries.map(\.fact)
                #expect(facts.filter { $0 == .stated(.purchase(refund)) }.count == 1, "\(user)")
            }
            #expect(try await store.ledger(of: Sample.user("dora")).entries.isEmpty)
            // It comes back: nothing that is known already is entered again.
            try await store.transfer(.all, from: cleo, to: anna)
            let facts = try await store.ledger(of: anna).entries.map(\.fact)
            #expect(facts.filter { $0 == .stated(.purchase(refund)) }.count == 1)
            #expect(try await owner(of: "1", in: store) == "anna")
            #expect(try await store.schema.number(Self.misplacedStates) == 0)
            try await expectWhole(store)
        }
    }

    @Test func `all that a guest has goes into the user's account, and a grant goes along with its note`() async throws
    {
        try await TestStore.open { store in
            try await store.restore((0..<5).map { Sample.pass("\($0)", day: 30 + $0) }, to: anna)
            try await store.grant(.addDays(3, of: TierID("pro")), as: "g1", to: anna)
            #expect(try await store.merge(anna, into: ben).get().count == 6)
            let received = try await store.ledger(of: ben).entries
            #expect(received.count == 12)
            let given = try await store.ledger(of: anna).entries.first { $0.fact.purchase?.source == .manual }
            #expect(given?.note != nil && given?.note == received.first { $0.fact.purchase?.source == .manual }?.note)
            #expect(
                try await store.schema.number(
                    "SELECT COUNT(*) FROM purchases p, users u WHERE u.pseudonym = p.user_id AND u.user_id = 'ben'")
                    == 6)
            #expect(try await store.merge(anna, into: ben) == .success([]))
            try await expectWhole(store)
        }
    }

    @Test func `by the catalogue's policy the same Apple account takes a purchase along`() async throws {
        try await TestStore.open { store in
            _ = try await CatalogueVersionCache.apply(
                "movable", to: store.pool, at: Sample.epoch, isSame: { $0 == "movable" })
            let pass = Sample.pass("1", day: 30, account: "apple 1")
            try await store.attach(pass, to: anna)
            #expect(try await store.attach(pass, to: ben) == .failure(.ownedByAnotherUser))
            #expect(try await store.attach(pass, to: ben, proof: "apple 2") == .failure(.ownedByAnotherUser))
            #expect(try await store.attach(pass, to: ben, proof: "apple 1") == .success(.transferred))
            #expect(try await store.attach(pass, to: ben, proof: "apple 1") == .success(.alreadyTheirs))
            #expect(try await store.attach(pass, to: anna, proof: "apple 1") == .failure(.ownedByAnotherUser))
            try await expectWhole(store)
        }
    }

    /// Each finds its batch begun again when the owner it saw was not locked.
    @Test func `purchases that pass from hand to hand through two instances are lost by nobody`() async throws {
        try await TestStore.open(instances: 2) { store in
            let keys = (0..<4).map { Sample.pass("\($0)", day: 30) }
            try await store.restore(keys, to: Sample.user(0))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for round in 0..<TestRun.rounds(120, soak: 4_000) {
                    group.addTask {
                        let (giver, receiver) = (Sample.user(round % 5), Sample.user((round * 3 + 1) % 5))
                        switch round % 4 {
                        case 0:
                            try await store.attach(
                                Sample.pass("\(round % 3)", day: 30, signedDay: 31 + round % 7), to: receiver,
                                via: round % 2)
                        case 1: try await store.transfer(.all, from: giver, to: receiver, via: round % 2)
                        default:
                            try await store.transfer(
                                .one(PurchaseName(ExternalID("\(round % 4)"))), from: giver, to: receiver,
                                via: round % 2)
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await store.schema.number("SELECT COUNT(*) FROM purchases WHERE user_id IS NOT NULL") == 4)
            #expect(try await store.schema.number(Self.misplacedStates) == 0)
            let tally = """
                SELECT COUNT(*) FROM purchases p JOIN users u WHERE
                    (SELECT COALESCE(SUM(IF(l.kind = 'gave_away', -1, 1)), 0) FROM ledger_entries l
                     WHERE l.purchase_id = p.id AND l.user_id = u.pseudonym
                        AND l.kind IN ('bound', 'received', 'gave_away'))
                    <> (p.user_id = u.pseudonym)
                """
            #expect(try await store.schema.number(tally) == 0)
            let unheard = """
                SELECT COUNT(*) FROM apple_iap_transactions t
                JOIN (SELECT id purchase_id, user_id FROM purchases UNION SELECT * FROM purchase_holders) h
                    ON h.purchase_id = t.purchase_id
                WHERE (SELECT COUNT(*) FROM ledger_entries l WHERE l.user_id = h.user_id AND l.state_id = t.id)
                    NOT BETWEEN \(TestSchema.isNoRepeat) AND 1
                """
            #expect(try await store.schema.number(unheard) == 0)
            #expect(try await store.schema.counts()["purchase_holders"] ?? 0 > 0)
            try await expectWhole(store)
        }
    }

    @Test func `of 64 devices that register at once through two instances as many get in as there are seats`()
        async throws
    {
        try await TestStore.open(instances: 2) { store in
            for round in 0..<TestRun.rounds(5, soak: 200) {
                let user = Sample.user(round)
                try await store.attach(Sample.pass("\(round)", day: 30), to: user)
                let answers = try await withThrowingTaskGroup(of: Bool.self) { group in
                    for racer in 0..<64 {
                        group.addTask {
                            let answer = try await store.register(
                                Sample.device("d\(racer)"), of: user, named: DeviceName("d"), via: racer % 2)
                            return (try? answer.get()) != nil
                        }
                    }
                    return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
                }
                #expect(answers == 3)
                #expect(try await store.timeline(of: user).status(at: store.clock.now).devices.active == 3)
            }
            try await expectWhole(store)
        }
    }

    /// States name the owner of their purchase.
    private static let misplacedStates = """
        SELECT COUNT(*) FROM apple_iap_transactions t JOIN purchases p ON p.id = t.purchase_id
        WHERE NOT (t.user_id <=> p.user_id)
        """

    private func expectWhole(_ store: TestStore) async throws {
        #expect(try await LedgerChain.faults(in: store.schema) == [])
        let before = try await store.schema.dump("subscriptions")
        try await Projection(pool: store.pool, settings: Sample.settings, format: Sample.format).rebuild(
            given: store.instances[0].versionCache.snapshot, at: store.clock.now)
        #expect(try await store.schema.dump("subscriptions") == before)
    }

    private func owner(of id: String, in store: TestStore) async throws -> Value? {
        try await store.schema.rows(
            "SELECT u.user_id FROM purchases p JOIN users u ON u.pseudonym = p.user_id WHERE p.external_id = '\(id)'"
        ).first?.first
    }

    /// First and last day of each row, by external id and user.
    private func days(_ store: TestStore) async throws -> [String: [Int64]] {
        let rows = try await store.schema.rows(
            """
            SELECT CONCAT(s.external_id, ' ', u.user_id), s.starts_at, s.expires_at
            FROM subscriptions s JOIN users u ON u.pseudonym = s.user_id
            """)
        return rows.reduce(into: [:]) { days, row in
            guard case .text(let id) = row[0], case .int64(let starts) = row[1], case .int64(let ends) = row[2] else {
                return
            }
            days[id] = [starts, ends].map { ($0 - Sample.epoch.milliseconds) / Instant.millisecondsPerDay }
        }
    }
}

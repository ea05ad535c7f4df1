import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// A purchase that moves stands in both ledgers, and what is learned of it later enters both (`semantics.md` §5).
@Suite(.serialized) struct TransferTests {
    private let anna = Books.user("anna")
    private let ben = Books.user("ben")
    private let cleo = Books.user("cleo")

    @Test func `a transfer moves the rest and both ledgers say so`() async throws {
        try await Shop.open { shop in
            try await shop.restore([Books.pass("1", day: 0), Books.pass("2", day: 30)], to: anna)
            let key = Books.pass("2").key
            #expect(
                try await shop.transfer(.one(PurchaseName(ExternalID("2"))), from: anna, to: ben) == .success([key]))
            let given = try await shop.ledger(of: anna)
            let received = try await shop.ledger(of: ben)
            let handover = Handover(cause: .operator, ran: 10 * Instant.millisecondsPerDay)
            #expect(given.entries.last?.fact == .gaveAway(key, handover))
            #expect(
                received.entries.map(\.fact) == [
                    .stated(.purchase(Books.pass("2", day: 30))), .received(key, handover),
                ])
            #expect(received.entries.first?.effectiveAt == Books.pass("2", day: 30).signedAt)
            for ledger in [given, received] {
                #expect(ledger.entries.last?.effectiveAt == shop.clock.now)
                let words = try await shop.instances[0].reader.notes(Set(ledger.entries.compactMap(\.note)))
                #expect(ledger.entries.last?.note.flatMap { words[$0] } == Books.note)
            }
            #expect(try await shop.schema.counts()["notes"] == 1, "they stand once for both")
            #expect(try await owner(of: "2", in: shop) == "ben")
            #expect(try await shop.schema.number(Self.misplacedStates) == 0)
            #expect(try await days(shop) == ["1 anna": [0, 30], "2 anna": [30, 40], "2 ben": [40, 60]])
            try await expectWhole(shop)
        }
    }

    @Test func `what comes and goes on in one batch is known to be had before, and its refund reaches both`()
        async throws
    {
        try await Shop.open { shop in
            let busy = ["x", "y"].map { Books.user($0) }
            for user in busy { try await shop.attach(Books.pass("of \(user)"), to: user) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                // Both writers of the lane wait, so that what comes meanwhile shares a batch.
                group.addTask {
                    try await shop.pool.transaction { (session) throws(DatabaseError) in
                        _ = try session.query(
                            SQLStatement("lock", "SELECT pseudonym FROM users WHERE user_id IN ('x', 'y') FOR UPDATE"))
                        _ = try session.query(SQLStatement("wait", "SELECT SLEEP(2)"))
                    }
                }
                for user in busy {
                    try await Task.sleep(for: .milliseconds(200))
                    group.addTask { try await shop.attach(Books.pass("more of \(user)"), to: user) }
                }
                try await Task.sleep(for: .milliseconds(200))
                group.addTask { try await shop.attach(Books.pass("1", day: 30), to: anna) }
                try await Task.sleep(for: .milliseconds(200))
                group.addTask {
                    let moved = try await shop.transfer(
                        .one(PurchaseName(ExternalID("1"))), from: anna, to: ben)
                    #expect(moved == .success([Books.pass("1").key]))
                }
                try await group.waitForAll()
            }
            try await shop.attach(Books.pass("1", day: 30, signedDay: 41, revokedDay: 41), to: cleo)
            for user in [anna, ben] {
                #expect(try await shop.ledger(of: user).entries.last?.fact.state?.revocation != nil, "\(user)")
            }
            try await expectWhole(shop)
            #expect(try await LedgerAudit(pool: shop.pool).faults() == [])
        }
    }

    @Test func `a later refund enters the ledgers of all who had the purchase, whoever sends it`() async throws {
        try await Shop.open(instances: 2) { shop in
            try await shop.attach(Books.pass("1", day: 30), to: anna)
            try await shop.transfer(.all, from: anna, to: ben)
            shop.clock.now = shop.clock.now + Instant.millisecondsPerDay
            try await shop.transfer(.all, from: ben, to: cleo, via: 1)
            let refund = Books.pass("1", day: 30, signedDay: 42, revokedDay: 42)
            #expect(
                try await shop.attach(refund, to: Books.user("dora"), via: 1) == .failure(.ownedByAnotherUser))
            for user in [anna, ben, cleo] {
                let facts = try await shop.ledger(of: user).entries.map(\.fact)
                #expect(facts.filter { $0 == .stated(.purchase(refund)) }.count == 1, "\(user)")
            }
            #expect(try await shop.ledger(of: Books.user("dora")).entries.isEmpty)
            // It comes back: nothing that is known already is entered again.
            try await shop.transfer(.all, from: cleo, to: anna)
            let facts = try await shop.ledger(of: anna).entries.map(\.fact)
            #expect(facts.filter { $0 == .stated(.purchase(refund)) }.count == 1)
            #expect(try await owner(of: "1", in: shop) == "anna")
            #expect(try await shop.schema.number(Self.misplacedStates) == 0)
            try await expectWhole(shop)
        }
    }

    @Test func `all that a guest has goes into the user's account, and a grant goes along with its note`() async throws
    {
        try await Shop.open { shop in
            try await shop.restore((0..<5).map { Books.pass("\($0)", day: 30 + $0) }, to: anna)
            try await shop.grant(.addDays(3, of: TierID("pro")), as: "g1", to: anna)
            #expect(try await shop.merge(anna, into: ben).get().count == 6)
            let received = try await shop.ledger(of: ben).entries
            #expect(received.count == 12)
            let given = try await shop.ledger(of: anna).entries.first { $0.fact.purchase?.source == .manual }
            #expect(given?.note != nil && given?.note == received.first { $0.fact.purchase?.source == .manual }?.note)
            #expect(
                try await shop.schema.number(
                    "SELECT COUNT(*) FROM purchases p, users u WHERE u.pseudonym = p.user_id AND u.user_id = 'ben'")
                    == 6)
            #expect(try await shop.merge(anna, into: ben) == .success([]))
            try await expectWhole(shop)
        }
    }

    @Test func `by the catalogue's policy the same Apple account takes a purchase along`() async throws {
        try await Shop.open { shop in
            _ = try await CatalogueShelf.apply("movable", to: shop.pool, at: Books.opening, isSame: { $0 == "movable" })
            let pass = Books.pass("1", day: 30, account: "apple 1")
            try await shop.attach(pass, to: anna)
            #expect(try await shop.attach(pass, to: ben) == .failure(.ownedByAnotherUser))
            #expect(try await shop.attach(pass, to: ben, proof: "apple 2") == .failure(.ownedByAnotherUser))
            #expect(try await shop.attach(pass, to: ben, proof: "apple 1") == .success(.transferred))
            #expect(try await shop.attach(pass, to: ben, proof: "apple 1") == .success(.alreadyTheirs))
            #expect(try await shop.attach(pass, to: anna, proof: "apple 1") == .failure(.ownedByAnotherUser))
            try await expectWhole(shop)
        }
    }

    /// Each finds its batch begun again when the owner it saw was not locked.
    @Test func `purchases that pass from hand to hand through two instances are lost by nobody`() async throws {
        try await Shop.open(instances: 2) { shop in
            let keys = (0..<4).map { Books.pass("\($0)", day: 30) }
            try await shop.restore(keys, to: Books.user(0))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for round in 0..<TestRun.rounds(120, soak: 4_000) {
                    group.addTask {
                        let (giver, receiver) = (Books.user(round % 5), Books.user((round * 3 + 1) % 5))
                        switch round % 4 {
                        case 0:
                            try await shop.attach(
                                Books.pass("\(round % 3)", day: 30, signedDay: 31 + round % 7), to: receiver,
                                via: round % 2)
                        case 1: try await shop.transfer(.all, from: giver, to: receiver, via: round % 2)
                        default:
                            try await shop.transfer(
                                .one(PurchaseName(ExternalID("\(round % 4)"))), from: giver, to: receiver,
                                via: round % 2)
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await shop.schema.number("SELECT COUNT(*) FROM purchases WHERE user_id IS NOT NULL") == 4)
            #expect(try await shop.schema.number(Self.misplacedStates) == 0)
            let tally = """
                SELECT COUNT(*) FROM purchases p JOIN users u WHERE
                    (SELECT COALESCE(SUM(IF(l.kind = 'gave_away', -1, 1)), 0) FROM ledger_entries l
                     WHERE l.purchase_id = p.id AND l.user_id = u.pseudonym AND l.kind IN ('bound', 'received', 'gave_away'))
                    <> (p.user_id = u.pseudonym)
                """
            #expect(try await shop.schema.number(tally) == 0)
            let unheard = """
                SELECT COUNT(*) FROM apple_iap_transactions t
                JOIN (SELECT id purchase_id, user_id FROM purchases UNION SELECT * FROM purchase_holders) h
                    ON h.purchase_id = t.purchase_id
                WHERE (SELECT COUNT(*) FROM ledger_entries l WHERE l.user_id = h.user_id AND l.state_id = t.id)
                    NOT BETWEEN \(TestSchema.isNoRepeat) AND 1
                """
            #expect(try await shop.schema.number(unheard) == 0)
            #expect(try await shop.schema.counts()["purchase_holders"] ?? 0 > 0)
            try await expectWhole(shop)
        }
    }

    @Test func `of 64 devices that register at once through two instances as many get in as there are seats`()
        async throws
    {
        try await Shop.open(instances: 2) { shop in
            for round in 0..<TestRun.rounds(5, soak: 200) {
                let user = Books.user(round)
                try await shop.attach(Books.pass("\(round)", day: 30), to: user)
                let answers = try await withThrowingTaskGroup(of: Bool.self) { group in
                    for racer in 0..<64 {
                        group.addTask {
                            let answer = try await shop.register(
                                Books.device("d\(racer)"), of: user, named: DeviceName("d"), via: racer % 2)
                            return (try? answer.get()) != nil
                        }
                    }
                    return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
                }
                #expect(answers == 3)
                #expect(try await shop.timeline(of: user).status(at: shop.clock.now).devices.active == 3)
            }
            try await expectWhole(shop)
        }
    }

    /// States name the owner of their purchase.
    private static let misplacedStates = """
        SELECT COUNT(*) FROM apple_iap_transactions t JOIN purchases p ON p.id = t.purchase_id
        WHERE NOT (t.user_id <=> p.user_id)
        """

    private func expectWhole(_ shop: Shop) async throws {
        #expect(try await LedgerChain.faults(in: shop.schema) == [])
        let before = try await shop.schema.dump("subscriptions")
        try await Projection(pool: shop.pool, settings: Books.settings).rebuild(
            given: shop.instances[0].shelf.snapshot)
        #expect(try await shop.schema.dump("subscriptions") == before)
    }

    private func owner(of id: String, in shop: Shop) async throws -> Value? {
        try await shop.schema.rows(
            "SELECT u.user_id FROM purchases p JOIN users u ON u.pseudonym = p.user_id WHERE p.external_id = '\(id)'"
        ).first?.first
    }

    /// First and last day of each row, by external id and user.
    private func days(_ shop: Shop) async throws -> [String: [Int64]] {
        let rows = try await shop.schema.rows(
            """
            SELECT CONCAT(s.external_id, ' ', u.user_id), s.starts_at, s.expires_at
            FROM subscriptions s JOIN users u ON u.pseudonym = s.user_id
            """)
        return rows.reduce(into: [:]) { days, row in
            guard case .text(let id) = row[0], case .int64(let starts) = row[1], case .int64(let ends) = row[2] else {
                return
            }
            days[id] = [starts, ends].map { ($0 - Books.opening.milliseconds) / Instant.millisecondsPerDay }
        }
    }
}

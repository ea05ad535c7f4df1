import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// Whatever comes while somebody is erased is decided before or after it, and nothing of them comes back.
@Suite(.serialized) struct ErasureRaceTests {
    private let anna = Books.user("anna")
    private let ben = Books.user("ben")
    private let cleo = Books.user("cleo")

    @Test func `refunds, attaches and restores while the owner is erased find the one purchase`() async throws {
        try await Shop.open(instances: 2) { shop in
            for round in 0..<TestRun.rounds(8, soak: 400) {
                let (user, number) = (Books.user("r\(round)"), "5000\(round)")
                let pass = Books.pass(number, day: 30, account: "7000\(round)")
                try await shop.attach(pass, to: user, text: "of r\(round)")
                let refund = Books.pass(number, day: 30, account: "7000\(round)", signedDay: 41, revokedDay: 41)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await shop.erase(user, via: round % 2) }
                    for racer in 0..<6 {
                        group.addTask {
                            let state = racer % 2 == 0 ? refund : pass
                            if racer < 4 {
                                let answer = try await shop.attach(
                                    state, to: ben, text: "of r\(round) by \(racer)", via: racer % 2)
                                #expect(answer == .failure(.ownedByAnotherUser))
                            } else {
                                let verdicts = try await shop.restore([state], to: cleo, via: racer % 2)
                                #expect(verdicts == [.refused(.ownedByAnotherUser)])
                            }
                        }
                    }
                    try await group.waitForAll()
                }
                let counts = try await shop.schema.counts()
                #expect(counts["purchases"] == round + 1 && counts["apple_iap_transactions"] == 2 * (round + 1))
                #expect(counts["signed_texts"] == 0)
                try await shop.expectNothing(of: ["r\(round)\"", "of r\(round)"])
            }
            try await shop.expectWhole()
        }
    }

    @Test func `of two who attach a purchase while the first of them is erased one has it`() async throws {
        try await Shop.open(instances: 2) { shop in
            for round in 0..<TestRun.rounds(8, soak: 400) {
                let (user, pass) = (Books.user("r\(round)"), Books.pass("5000\(round)", day: 30))
                try await shop.attach(Books.pass("other \(round)"), to: user)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        try await shop.attach(pass, to: user)
                        try await shop.erase(user)
                    }
                    for _ in 0..<4 { group.addTask { try await shop.attach(pass, to: ben, via: 1) } }
                    try await group.waitForAll()
                }
                let owner = try await shop.attach(pass, to: ben, via: round % 2)
                #expect(owner == .success(.alreadyTheirs) || owner == .failure(.ownedByAnotherUser))
                #expect(try await shop.schema.counts()["purchases"] == 2 * (round + 1))
            }
            try await shop.expectWhole()
        }
    }

    @Test(arguments: [false, true])
    func `a purchase that is bound and whose owner is erased behind the back of a batch is not made twice`(
        known: Bool
    ) async throws {
        try await Shop.open(instances: 2) { shop in
            let pass = Books.pass("20001", day: 30)
            try await shop.attach(Books.pass("bens"), to: ben)
            try await shop.attach(Books.pass("others"), to: anna)
            if known {
                _ = try await shop.instances[0].ledger.record([Shop.evidence(pass)], for: []) { _ in
                    Decision<Void, Never>(answer: .success(()))
                }
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                // Ben's batch has looked for the purchase, and waits for his row.
                group.addTask {
                    try await shop.pool.transaction { (session) throws(DatabaseError) in
                        _ = try session.query(
                            SQLStatement("lock ben", "SELECT pseudonym FROM users WHERE user_id = 'ben' FOR UPDATE"))
                        _ = try session.query(SQLStatement("wait", "SELECT SLEEP(3)"))
                    }
                }
                try await Task.sleep(for: .milliseconds(300))
                group.addTask {
                    let answer = try await shop.attach(pass, to: ben)
                    #expect(answer == .failure(.ownedByAnotherUser))
                }
                try await Task.sleep(for: .milliseconds(500))
                let bound = try await shop.attach(pass, to: anna, via: 1)
                #expect(bound == .success(.unowned))
                try await shop.erase(anna, via: 1)
                try await group.waitForAll()
            }
            #expect(try await shop.schema.counts()["purchases"] == 3)
            try await shop.expectNothing(of: ["anna"])
            try await shop.expectWhole()
        }
    }

    @Test func `who claims it while refunds arrive and is erased leaves whole chains and one purchase`() async throws {
        try await Shop.open(instances: 2) { shop in
            for round in 0..<TestRun.rounds(8, soak: 300) {
                let (user, claimant) = (Books.user("r\(round)"), Books.user("c\(round)"))
                let (number, account) = ("5000\(round)", "7000\(round)")
                let pass = Books.pass(number, day: 30, account: account)
                try await shop.attach(pass, to: user)
                try await shop.erase(user)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        try await shop.attach(pass, to: claimant, proof: account)
                        if round % 2 == 0 { try await shop.erase(claimant, via: 1) }
                    }
                    for racer in 0..<4 {
                        group.addTask {
                            let state = Books.pass(
                                number, day: 30, account: account, signedDay: 41 + racer, revokedDay: 41)
                            try await shop.attach(state, to: ben, via: racer % 2)
                        }
                    }
                    try await group.waitForAll()
                }
                let counts = try await shop.schema.counts()
                #expect(counts["purchases"] == round + 1 && counts["apple_iap_transactions"] == 5 * (round + 1))
                #expect(counts["signed_texts"] == 0)
            }
            try await shop.expectWhole()
        }
    }

    @Test func `erasing while purchases arrive loses none and leaves every chain whole`() async throws {
        try await Shop.open(instances: 2) { shop in
            for round in 0..<TestRun.rounds(4, soak: 200) {
                let user = Books.user("r\(round)")
                try await shop.attach(Books.pass("\(round)", day: 30), to: user)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for racer in 0..<16 {
                        group.addTask {
                            if racer == 7 { try await shop.erase(user) }
                            let state = Books.pass("\(round)", day: 30, signedDay: 31 + racer)
                            try await shop.attach(state, to: racer % 3 == 0 ? user : ben, via: racer % 2)
                        }
                    }
                    try await group.waitForAll()
                }
                let unheard = """
                    SELECT COUNT(*) FROM apple_iap_transactions t JOIN purchases p ON p.id = t.purchase_id
                    WHERE \(TestSchema.isNoRepeat) AND NOT EXISTS (
                        SELECT * FROM ledger_entries l WHERE l.user_id = p.user_id AND l.state_id = t.id)
                    """
                #expect(try await shop.schema.number(unheard) == 0)
                #expect(try await shop.schema.number("SELECT COUNT(*) FROM apple_iap_transactions") == 17 * (round + 1))
            }
            #expect(try await LedgerAudit(pool: shop.pool).faults() == [])
        }
    }

    @Test(arguments: [PacketProxy.Fault.cutBeforeCommit, .cutAfterCommit])
    func `an erasure whose commit went unanswered is made good, and audited and answered once`(
        fault: PacketProxy.Fault
    ) async throws {
        try await Shop.openBehindProxy { shop, proxy in
            let desk = Desk(shop)
            for round in 1...5 {
                try await shop.attach(Books.pass("\(round)", day: 30), to: anna)
                let asked = IdempotentRequest(
                    of: 1, key: Books.labels.label(.idempotencyKey, "\(round)"), digest: Label("asked"),
                    about: .user(Books.labels.label(.user, "anna"), and: nil))
                guard case .claimed(let claim) = try await desk.idempotency.claim(asked) else { throw Books.Missing() }
                proxy.inject(fault, count: 1)
                let erased = try await desk.erasure(at: shop.clock.now)
                    .erase(anna, by: .commandLine, reason: "asked") {
                        RememberedAnswer(claim: claim, status: 204, body: [])
                    }
                #expect(erased?.isErased == true)
                #expect(try await AuditTrail.head(from: shop.pool).length == UInt64(round))
                guard case .answered(204, _, _) = try await desk.idempotency.claim(asked) else { throw Books.Missing() }
            }
            #expect(proxy.faultsMet == 5)
            #expect(try await desk.defects() == [])
            #expect(try await LedgerAudit(pool: shop.pool).faults() == [])
        }
    }
}

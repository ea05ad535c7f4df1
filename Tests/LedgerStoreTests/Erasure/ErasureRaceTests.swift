import Entitlements
import LedgerStore
import MariaDB
import Support
import Synchronization
import Testing

/// Whatever comes while somebody is erased is decided before or after it, and nothing of them comes back.
@Suite(.serialized) struct ErasureRaceTests {
    private let anna = Sample.user("anna")
    private let ben = Sample.user("ben")
    private let cleo = Sample.user("cleo")

    @Test func `refunds, attaches and restores while the owner is erased find the one purchase`() async throws {
        try await TestStore.open(instances: 2) { store in
            for round in 0..<TestRun.rounds(8, soak: 400) {
                let (user, number) = (Sample.user("r\(round)"), "5000\(round)")
                let pass = Sample.pass(number, day: 30, account: "7000\(round)")
                try await store.attach(pass, to: user, text: "of r\(round)")
                let refund = Sample.pass(number, day: 30, account: "7000\(round)", signedDay: 41, revokedDay: 41)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await store.erase(user, via: round % 2) }
                    for racer in 0..<6 {
                        group.addTask {
                            let state = racer % 2 == 0 ? refund : pass
                            if racer < 4 {
                                let answer = try await store.attach(
                                    state, to: ben, text: "of r\(round) by \(racer)", via: racer % 2)
                                #expect(answer == .failure(.ownedByAnotherUser))
                            } else {
                                let verdicts = try await store.restore([state], to: cleo, via: racer % 2)
                                #expect(verdicts == [.refused(.ownedByAnotherUser)])
                            }
                        }
                    }
                    try await group.waitForAll()
                }
                let counts = try await store.schema.counts()
                #expect(counts["purchases"] == round + 1 && counts["apple_iap_transactions"] == 2 * (round + 1))
                #expect(counts["signed_texts"] == 0)
                try await store.expectNothing(of: ["r\(round)\"", "of r\(round)"])
            }
            try await store.expectWhole()
        }
    }

    @Test func `an erasure whose caller has left removes what came meanwhile`() async throws {
        try await TestStore.open { store in
            try await store.attach(Sample.pass("1"), to: anna)
            let erasing = Mutex<Task<UserID?, any Error>?>(nil)
            let calls = Atomic(0)
            let labels = Labels { message in
                // The first label is made before the transaction, the second in it.
                if calls.add(1, ordering: .relaxed).newValue == 2 { erasing.withLock { $0?.cancel() } }
                return message.reversed()
            }
            let erasure = Erasure(
                pool: store.pool, labels: labels, audit: TestOperators(store).audit, now: { store.clock.now })
            let person = anna
            erasing.withLock { task in
                task = Task { try await erasure.erase(person, by: .commandLine, reason: "asked") }
            }
            let task = try #require(erasing.withLock { $0 })
            #expect(try await task.value?.isErased == true && task.isCancelled)
        }
    }

    @Test func `of two who attach a purchase while the first of them is erased one has it`() async throws {
        try await TestStore.open(instances: 2) { store in
            for round in 0..<TestRun.rounds(8, soak: 400) {
                let (user, pass) = (Sample.user("r\(round)"), Sample.pass("5000\(round)", day: 30))
                try await store.attach(Sample.pass("other \(round)"), to: user)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        try await store.attach(pass, to: user)
                        try await store.erase(user)
                    }
                    for _ in 0..<4 { group.addTask { try await store.attach(pass, to: ben, via: 1) } }
                    try await group.waitForAll()
                }
                let owner = try await store.attach(pass, to: ben, via: round % 2)
                #expect(owner == .success(.alreadyTheirs) || owner == .failure(.ownedByAnotherUser))
                #expect(try await store.schema.counts()["purchases"] == 2 * (round + 1))
            }
            try await store.expectWhole()
        }
    }

    @Test(arguments: [false, true])
    func `a purchase that is bound and whose owner is erased behind the back of a batch is not made twice`(
        known: Bool
    ) async throws {
        try await TestStore.open(instances: 2) { store in
            let pass = Sample.pass("20001", day: 30)
            try await store.attach(Sample.pass("bens"), to: ben)
            try await store.attach(Sample.pass("others"), to: anna)
            if known {
                _ = try await store.instances[0].ledger.record([OpenStore.evidence(pass)], for: []) { _ in
                    Decision<Void, Never>(answer: .success(()))
                }
            }
            // Its transaction ends when it is closed.
            let holder = try await Connection.open(store.settings)
            try await holder.with { (session) throws(DatabaseError) in
                try session.execute(SQLStatement("begin", "START TRANSACTION"))
                _ = try session.query(SQLStatement("lock", "SELECT 1 FROM users WHERE user_id = 'ben' FOR UPDATE"))
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                // Ben's batch has looked for the purchase, and waits for his row.
                group.addTask {
                    let answer = try await store.attach(pass, to: ben)
                    #expect(answer == .failure(.ownedByAnotherUser))
                }
                try await Task.sleep(for: .milliseconds(500))
                let bound = try await store.attach(pass, to: anna, via: 1)
                #expect(bound == .success(.unowned))
                try await store.erase(anna, via: 1)
                await holder.close()
                try await group.waitForAll()
            }
            #expect(try await store.schema.counts()["purchases"] == 3)
            try await store.expectNothing(of: ["anna"])
            try await store.expectWhole()
        }
    }

    @Test func `who claims it while refunds arrive and is erased leaves whole chains and one purchase`() async throws {
        try await TestStore.open(instances: 2) { store in
            for round in 0..<TestRun.rounds(8, soak: 300) {
                let (user, claimant) = (Sample.user("r\(round)"), Sample.user("c\(round)"))
                let (number, account) = ("5000\(round)", "7000\(round)")
                let pass = Sample.pass(number, day: 30, account: account)
                try await store.attach(pass, to: user)
                try await store.erase(user)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        try await store.attach(pass, to: claimant, proof: account)
                        if round % 2 == 0 { try await store.erase(claimant, via: 1) }
                    }
                    for racer in 0..<4 {
                        group.addTask {
                            let state = Sample.pass(
                                number, day: 30, account: account, signedDay: 41 + racer, revokedDay: 41)
                            try await store.attach(state, to: ben, via: racer % 2)
                        }
                    }
                    try await group.waitForAll()
                }
                let counts = try await store.schema.counts()
                #expect(counts["purchases"] == round + 1 && counts["apple_iap_transactions"] == 5 * (round + 1))
                #expect(counts["signed_texts"] == 0)
            }
            try await store.expectWhole()
        }
    }

    @Test func `erasing while purchases arrive loses none and leaves every chain whole`() async throws {
        try await TestStore.open(instances: 2) { store in
            for round in 0..<TestRun.rounds(4, soak: 200) {
                let user = Sample.user("r\(round)")
                try await store.attach(Sample.pass("\(round)", day: 30), to: user)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for racer in 0..<16 {
                        group.addTask {
                            if racer == 7 { try await store.erase(user) }
                            let state = Sample.pass("\(round)", day: 30, signedDay: 31 + racer)
                            try await store.attach(state, to: racer % 3 == 0 ? user : ben, via: racer % 2)
                        }
                    }
                    try await group.waitForAll()
                }
                let unheard = """
                    SELECT COUNT(*) FROM apple_iap_transactions t JOIN purchases p ON p.id = t.purchase_id
                    WHERE \(TestSchema.isNoRepeat) AND NOT EXISTS (
                        SELECT * FROM ledger_entries l WHERE l.user_id = p.user_id AND l.state_id = t.id)
                    """
                #expect(try await store.schema.number(unheard) == 0)
                #expect(
                    try await store.schema.number("SELECT COUNT(*) FROM apple_iap_transactions") == 17 * (round + 1))
            }
            #expect(try await LedgerCheck(pool: store.pool).faults() == [])
        }
    }

    @Test(arguments: [PacketProxy.Fault.cutBeforeCommit, .cutAfterCommit])
    func `an erasure whose commit went unanswered is made good, and audited and answered once`(
        fault: PacketProxy.Fault
    ) async throws {
        try await TestStore.openBehindProxy { store, proxy in
            let operators = TestOperators(store)
            for round in 1...5 {
                try await store.attach(Sample.pass("\(round)", day: 30), to: anna)
                let asked = IdempotentRequest(
                    of: 1, key: Sample.labels.label(.idempotencyKey, "\(round)"), digest: Label("asked"),
                    about: .user(Sample.labels.label(.user, "anna"), and: nil))
                guard case .claimed(let claim) = try await operators.idempotency.claim(asked) else {
                    throw Sample.UnknownText()
                }
                proxy.inject(fault, count: 1)
                let erased = try await operators.erasure(at: store.clock.now)
                    .erase(anna, by: .commandLine, reason: "asked") {
                        RememberedAnswer(claim: claim, status: 204, body: [])
                    }
                #expect(erased?.isErased == true)
                #expect(try await AuditTrail.head(from: store.pool).length == UInt64(round))
                guard case .answered(204, _, _) = try await operators.idempotency.claim(asked) else {
                    throw Sample.UnknownText()
                }
            }
            #expect(proxy.faultsMet == 5)
            #expect(try await operators.defects() == [])
            #expect(try await LedgerCheck(pool: store.pool).faults() == [])
        }
    }
}

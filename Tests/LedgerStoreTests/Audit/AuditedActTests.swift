import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// What operators do to people is on the audit trail with what it did, or neither is (`api.md`, "Audit trail").
@Suite(.serialized) struct AuditedActTests {
    private let anna = Sample.user("anna")
    private let ben = Sample.user("ben")

    private func act(_ action: AuditAction, to user: UserID, with other: UserID? = nil) -> AuditedAct {
        AuditedAct(by: .commandLine, action, to: user, with: other, details: ["by": "hand"], reason: "asked")
    }

    private func name(
        _ user: UserID, isTester: Bool, _ audit: AuditedAct?, in store: TestStore
    ) async throws {
        _ = try await store.ledger.record(for: [user], audit: audit) {
            OperatorAct(on: user, note: Sample.note).nameSandboxTester(isTester, given: $0)
        }
    }

    private func transfer(
        _ selection: OperatorAct.Selection, _ store: TestStore
    ) async throws -> Result<[PurchaseKey], OperatorRefusal> {
        let audit = act(.transfer, to: anna, with: ben)
        return try await store.ledger.record(for: [ben], everythingOf: anna, audit: audit) {
            [anna, ben] history, context in
            OperatorAct(on: anna, note: Sample.note).transfer(selection, to: ben, given: history, in: context)
        }.answer
    }

    @Test func `an act leaves one entry, its repeat and a refusal none`() async throws {
        try await TestStore.open { store in
            let operators = TestOperators(store)
            for isTester in [true, true, false, false] {
                let action: AuditAction = isTester ? .nameSandboxTester : .unnameSandboxTester
                try await name(anna, isTester: isTester, act(action, to: anna), in: store)
            }
            try await name(anna, isTester: true, nil, in: store)
            #expect(
                try await transfer(.one(PurchaseName(ExternalID("none"))), store) == .failure(.unknownPurchase))
            let entries = try await OperatorReader(pool: store.pool).auditEntries(before: nil, limit: 10).rows
            #expect(entries.map(\.action) == ["sandbox_tester.unname", "sandbox_tester.name"])
            #expect(entries.allSatisfy { $0.user == anna && $0.actor == "command_line" && $0.reason == "asked" })
            #expect(entries.allSatisfy { $0.details == #"{"by":"hand"}"# })
            #expect(try await operators.defects() == [])
        }
    }

    @Test func `the other person of an act is named by pseudonym`() async throws {
        try await TestStore.open { store in
            try await store.attach(Sample.pass("1", day: 30), to: anna)
            #expect(try await transfer(.all, store) == .success([Sample.pass("1").key]))
            #expect(try await transfer(.all, store) == .success([]))
            let entries = try await OperatorReader(pool: store.pool).auditEntries(before: nil, limit: 10).rows
            let pseudonym = try await store.schema.number("SELECT pseudonym FROM users WHERE user_id = 'ben'")
            #expect(entries.map(\.details) == [#"{"by":"hand"}"#])
            #expect(entries[0].user == anna && entries[0].otherSubject.map { Int($0) } == pseudonym)
        }
    }

    @Test func `the words about both persons of an act go with either, and nobody else's do`() async throws {
        for erased in [anna, ben] {
            try await TestStore.open { store in
                let operators = TestOperators(store)
                try await store.attach(Sample.pass("1", day: 30), to: anna)
                #expect(try await transfer(.all, store) == .success([Sample.pass("1").key]))
                let cleo = Sample.user("cleo")
                try await name(cleo, isTester: true, act(.nameSandboxTester, to: cleo), in: store)
                _ = try await operators.erasure(at: store.clock.now).erase(
                    erased, by: .commandLine, reason: "their wish")
                let entries = try await OperatorReader(pool: store.pool).auditEntries(before: nil, limit: 10).rows
                #expect(entries.map(\.action) == ["user.erase", "sandbox_tester.name", "user.transfer"])
                #expect(entries.map(\.reason) == ["their wish", "asked", nil])
                #expect(entries[2].details == nil)
                #expect(entries[0].details == "{}")
                #expect(try await operators.defects() == [])
                try await store.schema.rows("DELETE FROM audit_notes WHERE entry_id = 2")
                #expect(try await operators.defects() == [.noteMissing(id: 2)])
            }
        }
    }

    @Test func `the words of an act between two others are missed, whoever was erased`() async throws {
        try await TestStore.open { store in
            let (operators, cleo) = (TestOperators(store), Sample.user("cleo"))
            try await store.attach(Sample.pass("1", day: 30), to: anna)
            #expect(try await transfer(.all, store) == .success([Sample.pass("1").key]))
            try await name(cleo, isTester: true, act(.nameSandboxTester, to: cleo), in: store)
            _ = try await operators.erasure(at: store.clock.now).erase(cleo, by: .commandLine, reason: "their wish")
            #expect(try await operators.defects() == [])
            try await store.schema.rows("DELETE FROM audit_notes WHERE entry_id = 1")
            #expect(try await operators.defects() == [.noteMissing(id: 1)])
        }
    }

    @Test func `somebody whom thousands of acts on others name is erased like anybody`() async throws {
        try await TestStore.open { store in
            let operators = TestOperators(store)
            try await name(ben, isTester: true, nil, in: store)
            let pseudonym = try await store.schema.number("SELECT pseudonym FROM users")
            let acts = 8_000
            try await store.pool.transaction { (session) throws(DatabaseError) in
                for _ in 0..<acts {
                    try operators.audit.append(
                        AuditRecord(
                            at: Sample.epoch, actor: .commandLine, action: .transfer, subject: 99,
                            otherSubject: UInt64(pseudonym), details: [:], reason: nil), in: session)
                }
            }
            _ = try await operators.erasure(at: store.clock.now).erase(ben, by: .commandLine, reason: "their wish")
            let erasure = try await OperatorReader(pool: store.pool).auditEntries(before: nil, limit: 1).rows[0]
            #expect(erasure.action == "user.erase" && erasure.details == "{}")
            #expect(try await store.schema.number("SELECT COUNT(*) FROM audit_notes") == 1)
        }
    }

    @Test func `why somebody was bound is missed where it was taken out, whoever had the purchase since`() async throws
    {
        try await TestStore.open { store in
            let key = Sample.pass("1").key
            let token = try await store.instances[0].tokens.token(of: ben)
            #expect(try await store.attach(Sample.pass("1", token: token), to: anna) == .failure(.accountTokenMismatch))
            _ = try await store.ledger.record(for: [anna], keys: [key]) { [anna] history, _ in
                OperatorAct(on: anna, note: Sample.note).bind(key, given: history)
            }
            _ = try await store.transfer(.all, from: anna, to: ben)
            try await store.erase(ben)
            let check = LedgerCheck(pool: store.pool)
            #expect(try await check.faults() == [])
            try await store.schema.rows(
                """
                DELETE n FROM notes n JOIN ledger_entries l ON l.note_digest = n.digest WHERE l.kind = 'bound'
                """)
            let faults = try await check.faults()
            #expect(faults.map(\.user) == [anna] && faults.map(\.defect) == [.noteEdited(sequence: 2)])
        }
    }

    @Test func `an act about somebody whom its request did not name is not carried out`() async throws {
        try await TestStore.open { store in
            let error = await #expect(throws: ServiceFailure.self) {
                try await name(anna, isTester: true, act(.nameSandboxTester, to: ben), in: store)
            }
            #expect(error?.cause == .misuse)
            let ledger = try await store.ledger(of: anna)
            let head = try await AuditTrail.head(from: store.pool)
            #expect(ledger.entries.isEmpty && head == .empty)
        }
    }

    @Test func `acts at once through two instances are all on the trail, which is whole`() async throws {
        try await TestStore.open(instances: 2) { store in
            let acts = TestRun.rounds(40, soak: 2_000)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<acts {
                    group.addTask {
                        let user = Sample.user("u\(number)")
                        let audit = act(.nameSandboxTester, to: user)
                        _ = try await store.instances[number % 2].ledger.record(for: [user], audit: audit) {
                            OperatorAct(on: user, note: Sample.note).nameSandboxTester(true, given: $0)
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await AuditTrail.head(from: store.pool).length == UInt64(acts))
            #expect(try await TestOperators(store).defects() == [])
        }
    }

    @Test(arguments: [PacketProxy.Fault.cutBeforeCommit, .cutAfterCommit])
    func `an act whose commit went unanswered is entered once`(fault: PacketProxy.Fault) async throws {
        try await TestStore.openBehindProxy { store, proxy in
            for round in 1...5 {
                proxy.inject(fault, count: 1)
                try await name(
                    anna, isTester: !round.isMultiple(of: 2), act(.nameSandboxTester, to: anna), in: store)
                #expect(try await AuditTrail.head(from: store.pool).length == UInt64(round))
            }
            #expect(try await TestOperators(store).defects() == [])
        }
    }
}

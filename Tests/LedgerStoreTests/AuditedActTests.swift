import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// What operators do to people is on the audit trail with what it did, or neither is (`contract.md` §5).
@Suite(.serialized) struct AuditedActTests {
    private let anna = Books.user("anna")
    private let ben = Books.user("ben")

    private func act(_ action: AuditAction, to user: UserID, with other: UserID? = nil) -> AuditedAct {
        AuditedAct(by: .commandLine, action, to: user, with: other, details: ["by": "hand"], reason: "asked")
    }

    private func name(
        _ user: UserID, isTester: Bool, _ audit: AuditedAct?, in shop: Shop
    ) async throws {
        _ = try await shop.ledger.record(for: [user], audit: audit) { history -> Decision<Bool, Never> in
            NameSandboxTester(user, isTester: isTester, note: Books.note).decide(given: history)
        }
    }

    private func transfer(
        _ selection: Transfer.Selection, _ shop: Shop
    ) async throws -> Result<[PurchaseKey], TransferRefusal> {
        let audit = act(.transfer, to: anna, with: ben)
        return try await shop.ledger.record(for: [ben], everythingOf: anna, audit: audit) {
            [anna, ben] history, catalogue in
            Transfer(selection, from: anna, to: ben, note: Books.note, in: Shop.fold(catalogue)).decide(given: history)
        }.answer
    }

    @Test func `an act leaves one entry, its repeat and a refusal none`() async throws {
        try await Shop.open { shop in
            let desk = Desk(shop)
            for isTester in [true, true, false, false] {
                let action: AuditAction = isTester ? .nameSandboxTester : .unnameSandboxTester
                try await name(anna, isTester: isTester, act(action, to: anna), in: shop)
            }
            try await name(anna, isTester: true, nil, in: shop)
            #expect(
                try await transfer(.one(PurchaseName(ExternalID("none"))), shop) == .failure(.name(.unknownPurchase)))
            let entries = try await AuditTrail.page(before: nil, limit: 10, from: shop.pool)
            #expect(entries.map(\.action) == ["sandbox_tester.unname", "sandbox_tester.name"])
            #expect(entries.allSatisfy { $0.user == anna && $0.actor == "command_line" && $0.reason == "asked" })
            #expect(entries.allSatisfy { $0.details == #"{"by":"hand"}"# })
            #expect(try await desk.defects() == [])
        }
    }

    @Test func `the other person of an act is named by pseudonym`() async throws {
        try await Shop.open { shop in
            try await shop.attach(Books.pass("1", day: 30), to: anna)
            #expect(try await transfer(.all, shop) == .success([Books.pass("1").key]))
            #expect(try await transfer(.all, shop) == .success([]))
            let entries = try await AuditTrail.page(before: nil, limit: 10, from: shop.pool)
            let pseudonym = try await shop.schema.number("SELECT pseudonym FROM users WHERE user_id = 'ben'")
            #expect(entries.map(\.details) == [#"{"by":"hand"}"#])
            #expect(entries[0].user == anna && entries[0].otherSubject.map { Int($0) } == pseudonym)
        }
    }

    @Test func `the words about both persons of an act go with either, and nobody else's do`() async throws {
        for erased in [anna, ben] {
            try await Shop.open { shop in
                let desk = Desk(shop)
                try await shop.attach(Books.pass("1", day: 30), to: anna)
                #expect(try await transfer(.all, shop) == .success([Books.pass("1").key]))
                let cleo = Books.user("cleo")
                try await name(cleo, isTester: true, act(.nameSandboxTester, to: cleo), in: shop)
                _ = try await desk.erasure(at: shop.clock.now).erase(erased, by: .commandLine, reason: "their wish")
                let entries = try await AuditTrail.page(before: nil, limit: 10, from: shop.pool)
                #expect(entries.map(\.action) == ["user.erase", "sandbox_tester.name", "user.transfer"])
                #expect(entries.map(\.reason) == ["their wish", "asked", nil])
                #expect(entries[2].details == nil)
                #expect(entries[0].details == "{}")
                #expect(try await desk.defects() == [])
                try await shop.schema.rows("DELETE FROM audit_notes WHERE entry_id = 2")
                #expect(try await desk.defects() == [.noteMissing(id: 2)])
            }
        }
    }

    @Test func `the words of an act between two others are missed, whoever was erased`() async throws {
        try await Shop.open { shop in
            let (desk, cleo) = (Desk(shop), Books.user("cleo"))
            try await shop.attach(Books.pass("1", day: 30), to: anna)
            #expect(try await transfer(.all, shop) == .success([Books.pass("1").key]))
            try await name(cleo, isTester: true, act(.nameSandboxTester, to: cleo), in: shop)
            _ = try await desk.erasure(at: shop.clock.now).erase(cleo, by: .commandLine, reason: "their wish")
            #expect(try await desk.defects() == [])
            try await shop.schema.rows("DELETE FROM audit_notes WHERE entry_id = 1")
            #expect(try await desk.defects() == [.noteMissing(id: 1)])
        }
    }

    @Test func `somebody whom thousands of acts on others name is erased like anybody`() async throws {
        try await Shop.open { shop in
            let desk = Desk(shop)
            try await name(ben, isTester: true, nil, in: shop)
            let pseudonym = try await shop.schema.number("SELECT pseudonym FROM users")
            let acts = 8_000
            try await shop.pool.transaction { (session) throws(DatabaseError) in
                for _ in 0..<acts {
                    try desk.audit.append(
                        AuditRecord(
                            at: Books.opening, actor: .commandLine, action: .transfer, subject: 99,
                            otherSubject: UInt64(pseudonym), details: [:], reason: nil), in: session)
                }
            }
            _ = try await desk.erasure(at: shop.clock.now).erase(ben, by: .commandLine, reason: "their wish")
            let erasure = try await AuditTrail.page(before: nil, limit: 1, from: shop.pool)[0]
            #expect(erasure.action == "user.erase" && erasure.details == "{}")
            #expect(try await shop.schema.number("SELECT COUNT(*) FROM audit_notes") == 1)
        }
    }

    @Test func `why somebody was bound is missed where it was taken out, whoever had the purchase since`() async throws
    {
        try await Shop.open { shop in
            let key = Books.pass("1").key
            let token = try await shop.instances[0].tokens.token(of: ben)
            #expect(try await shop.attach(Books.pass("1", token: token), to: anna) == .failure(.accountTokenMismatch))
            _ = try await shop.ledger.record(for: [anna], keys: [key]) { [anna] history, catalogue in
                BindPurchase(key, to: anna, note: Books.note, in: Shop.fold(catalogue)).decide(given: history)
            }
            _ = try await shop.transfer(.all, from: anna, to: ben)
            try await shop.erase(ben)
            let audit = LedgerAudit(pool: shop.pool)
            #expect(try await audit.faults() == [])
            try await shop.schema.rows(
                """
                DELETE n FROM notes n JOIN ledger_entries l ON l.note_digest = n.digest WHERE l.kind = 'bound'
                """)
            let faults = try await audit.faults()
            #expect(faults.map(\.user) == [anna] && faults.map(\.defect) == [.noteEdited(sequence: 2)])
        }
    }

    @Test func `an act about somebody whom its request did not name is not carried out`() async throws {
        try await Shop.open { shop in
            let error = await #expect(throws: DatabaseError.self) {
                try await name(anna, isTester: true, act(.nameSandboxTester, to: ben), in: shop)
            }
            #expect(error?.cause == .misuse)
            let ledger = try await shop.ledger(of: anna)
            let head = try await AuditTrail.head(from: shop.pool)
            #expect(ledger.entries.isEmpty && head == .empty)
        }
    }

    @Test func `acts at once through two instances are all on the trail, which is whole`() async throws {
        try await Shop.open(instances: 2) { shop in
            let acts = TestRun.rounds(40, soak: 2_000)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<acts {
                    group.addTask {
                        let user = Books.user("u\(number)")
                        let audit = act(.nameSandboxTester, to: user)
                        _ = try await shop.instances[number % 2].ledger.record(for: [user], audit: audit) {
                            history -> Decision<Bool, Never> in
                            NameSandboxTester(user, isTester: true, note: Books.note).decide(given: history)
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await AuditTrail.head(from: shop.pool).length == UInt64(acts))
            #expect(try await Desk(shop).defects() == [])
        }
    }

    @Test(arguments: [PacketProxy.Fault.cutBeforeCommit, .cutAfterCommit])
    func `an act whose commit went unanswered is entered once`(fault: PacketProxy.Fault) async throws {
        try await Shop.openBehindProxy { shop, proxy in
            for round in 1...5 {
                proxy.inject(fault, count: 1)
                try await name(
                    anna, isTester: !round.isMultiple(of: 2), act(.nameSandboxTester, to: anna), in: shop)
                #expect(try await AuditTrail.head(from: shop.pool).length == UInt64(round))
            }
            #expect(try await Desk(shop).defects() == [])
        }
    }
}

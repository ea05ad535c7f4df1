import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// An erased person is gone and their facts stay: later refunds land, and nothing names them (`semantics.md` §5).
@Suite(.serialized) struct ErasureTests {
    private let anna = Sample.user("anna")
    private let ben = Sample.user("ben")
    private static let text = "signed.for 70001"

    @Test func `nothing that names the person is left in any column of any table`() async throws {
        try await TestStore.open { store in
            let token = try await fill(store)
            try await tell(of: anna, to: store)
            let traces = [
                "anna", "Annas phone", "phone1", "ticket 1", "70001", "order-1", "her order", "is shy", "for the pass",
                token.description, TestStore.digits(of: token.bytes),
            ]
            let before = try await store.everything()
            for trace in ["anna", "Annas phone", "phone1", "ticket 1", "70001", "is shy", "for the pass"] {
                #expect(before.contains(trace), "\(trace)")
            }
            let erased = try await store.erase(anna)
            #expect(
                try await TestOperators(store).erasure(at: store.clock.now).erase(anna, by: .commandLine, reason: "r")
                    == nil)
            try await store.expectNothing(of: traces)
            let export = try #require(try await Export(pool: store.pool, labels: Sample.labels).document(of: erased))
            for trace in traces { #expect(!export.contains(trace), "\(trace)") }
            let audit = try await OperatorReader(pool: store.pool).auditEntries(before: nil, limit: 10).rows
            #expect(audit.map(\.action) == ["user.erase", "sandbox_tester.unname"])
            #expect(audit.map(\.reason) == ["asked", nil] && audit.allSatisfy { $0.user == nil && $0.subject != nil })
            try await store.expectWhole()
            #expect(try await LedgerCheck(pool: store.pool).faults(of: erased) == [])
            #expect(try await store.ledger(of: anna).entries.isEmpty)
        }
    }

    @Test func `no fact, hash or digest changes, and of nobody else any row`() async throws {
        try await TestStore.open { store in
            for user in [ben, Sample.user("cleo")] {
                _ = try await store.instances[0].tokens.token(of: user)
                try await store.attach(Sample.pass("of \(user)", day: 30, account: user.text), to: user)
                try await store.register(Sample.device("d"), of: user)
                try await store.grant(.addDays(9, of: TierID("pro")), as: "to \(user)", to: user)
            }
            _ = try await fill(store)
            try await tell(of: anna, to: store)
            try await store.transfer(.one(PurchaseName(ExternalID("20004"))), from: anna, to: ben)
            try await store.transfer(.one(PurchaseName(ExternalID("to ben"))), from: ben, to: anna)
            let before = try await store.dumps()
            let (hers, bens) = try await (store.status(of: anna), store.status(of: ben))
            let pseudonym = try await store.schema.number("SELECT pseudonym FROM users WHERE user_id = 'anna'")
            let preview = try await TestOperators(store).erasure(at: store.clock.now).preview(anna)
            #expect(
                preview?.map { "\($0.rows) \($0.table)" } == [
                    "1 users", "1 account_tokens", "1 standings", "1 standing_answers", "6 notes", "1 audit_notes",
                    "6 signed_texts", "1 idempotency_keys",
                ])
            #expect(try await store.dumps() == before)
            let erased = try await store.erase(anna)
            let after = try await store.dumps()
            #expect(
                Self.changed(before, after) == [
                    "account_tokens": [-1, 2], "audit_entries": [0, 1], "audit_heads": [-1, 1], "audit_notes": [-1, 1],
                    "idempotency_keys": [-1, 0], "notes": [-6, 0], "signed_texts": [-6, 0],
                    "standing_answers": [-1, 0],
                    "standings": [-1, 0], "users": [-1, 1],
                ])
            #expect(erased.pseudonym.map { Int($0) } == pseudonym)
            #expect(try await store.status(of: ben) == bens)
            let left = try await store.status(of: erased)
            #expect(left.entitlements == hers.entitlements && left.segments == hers.segments)
            #expect(left.credits == hers.credits && left.devices == hers.devices)
            try await store.expectWhole()
        }
    }

    /// How many rows of each table are gone and are new, of those that have such.
    private static func changed(
        _ before: [String: [[Value]]], _ after: [String: [[Value]]]
    ) -> [String: [Int]] {
        var changed: [String: [Int]] = [:]
        for (table, rows) in before {
            let (old, new) = (Set(rows), Set(after[table] ?? []))
            if old != new { changed[table] = [-old.subtracting(new).count, new.subtracting(old).count] }
        }
        return changed
    }

    @Test func `a later refund lands once in the erased person's ledger, in whichever spelling, and keeps no text`()
        async throws
    {
        try await TestStore.open(instances: 2) { store in
            try await Belongings.fill(store, anna)
            // Both instances have cached the ledger.
            for instance in store.instances { _ = try await instance.reader.ledger(of: anna) }
            let erased = try await store.erase(anna)
            let refund = Belongings.refundOfPass
            #expect(try await store.attach(refund, to: ben, text: "a", via: 1) == .failure(.ownedByAnotherUser))
            let counts = try await store.schema.counts()
            #expect(counts["signed_texts"] == 0)
            for (spelling, instance) in [("a", 0), ("b", 1), ("c", 0)] {
                let answer = try await store.attach(refund, to: ben, text: spelling, via: instance)
                #expect(answer == .failure(.ownedByAnotherUser))
            }
            #expect(try await store.schema.counts() == counts)
            #expect(try await store.ledger(of: erased).entries.last?.fact == .stated(.purchase(refund)))
            try await store.expectWhole()
        }
    }

    @Test func `a new transaction of a chain lands too, and a signed text that was there is told of no more`()
        async throws
    {
        try await TestStore.open { store in
            try await Belongings.fill(store, anna)
            let erased = try await store.erase(anna)
            let renewal = Sample.sale(
                "20005", of: "plan.month", .plan, day: 62, transaction: "20009", period: "40009",
                account: Belongings.account, signedDay: 40)
            for _ in 0..<2 { try await store.attach(renewal, to: ben) }
            let entries = try await store.ledger(of: erased).entries
            #expect(entries.count { $0.fact == .stated(.purchase(renewal)) } == 1)
            #expect(try await store.texts == [])
            try await store.expectWhole()
        }
    }

    @Test func `what is known already adds nothing, and nobody else claims any of it`() async throws {
        try await TestStore.open(instances: 2) { store in
            let token = try await fill(store)
            try await store.erase(anna)
            try await store.attach(Sample.pass("bens", day: 30), to: ben)
            let counts = try await store.schema.counts()
            for (number, sale) in Belongings.sales.enumerated() {
                for proof in [nil, "70002"] {
                    let answer = try await store.attach(sale, to: ben, proof: proof, via: number % 2)
                    #expect(answer == .failure(.ownedByAnotherUser))
                }
            }
            let verdicts = try await store.restore(Belongings.sales, to: ben)
            #expect(verdicts.allSatisfy { $0 == .refused(.ownedByAnotherUser) || $0 == .duplicateInRequest })
            #expect(try await store.schema.counts() == counts)
            // What nobody had attached is vetoed by the token, except against the proof of the same Apple account.
            let late = Sample.pass("late", day: 31, token: token, account: Belongings.account)
            #expect(try await store.attach(late, to: ben) == .failure(.accountTokenMismatch))
            #expect(try await store.attach(late, to: ben, proof: "70002") == .failure(.accountTokenMismatch))
            #expect(try await store.attach(late, to: ben, proof: Belongings.account) == .success(.unowned))
            try await store.expectWhole()
        }
    }

    @Test func `a legacy token of an erased number vetoes where legacy tokens are decoded`() async throws {
        try await TestStore.open(legacyTokens: true) { store in
            let legacy = try #require(AccountToken("0000002A-0000-0000-0000-000000000000"))
            try await store.attach(Sample.pass("0"), to: Sample.user("42"))
            try await store.erase(Sample.user("42"))
            #expect(try await store.attach(Sample.pass("1", token: legacy), to: ben) == .failure(.accountTokenMismatch))
            // Whoever signs in by that number is whom the token names.
            #expect(
                try await store.attach(Sample.pass("1", token: legacy), to: Sample.user("42")) == .success(.unowned))
            try await store.erase(Sample.user("42"))
            #expect(try await store.attach(Sample.pass("2", token: legacy), to: ben) == .failure(.accountTokenMismatch))
            #expect(
                try await store.attach(Sample.pass("2", token: legacy), to: Sample.user("42")) == .success(.unowned))
        }
    }

    @Test func `somebody with nothing, or with grants alone, is erased too`() async throws {
        try await TestStore.open { store in
            _ = try await store.instances[0].tokens.token(of: anna)
            try await store.erase(anna)
            try await store.grant(.addDays(9, of: TierID("pro")), as: "30001", to: ben)
            let erased = try await store.erase(ben)
            try await store.expectNothing(of: ["anna", "\"ben", "ticket 1"])
            try await store.expectWhole()
            #expect(try await store.status(of: erased).active)
            // What was given once under a name is not given to somebody else.
            await #expect(throws: ServiceFailure.self) {
                try await store.grant(.addDays(9, of: TierID("pro")), as: "30001", to: Sample.user("cleo"))
            }
            #expect(try await store.schema.counts()["purchases"] == 1)
        }
    }

    @Test func `an operator finds by the number what nobody has any more`() async throws {
        try await TestStore.open { store in
            try await Belongings.fill(store, anna)
            try await store.erase(anna)
            let (reader, labels) = (TestOperators(store).reader, Sample.labels)
            for sale in [Belongings.sales[0], Belongings.sales[2]] {
                let found = try await reader.search(sale.key.externalID.text, under: labels)
                #expect(found.first?.kind == .purchase && found.first?.key == sale.key && found.first?.user == nil)
            }
            let copy = try await reader.search("20002", under: labels)
            #expect(copy.map(\.transaction) == [TransactionID("20002")] && copy.map(\.user) == [nil])
            #expect(copy.map(\.kind) == [.transaction] && copy.map(\.key) == [Belongings.sales[0].key])
        }
    }

    @Test func `what was edited before is found after, and the words of the living are missed as ever`() async throws {
        try await TestStore.open { store in
            try await Belongings.fill(store, anna)
            try await store.grant(.addDays(9, of: TierID("pro")), as: "bens", to: ben)
            try await store.schema.rows("UPDATE ledger_entries SET effective_at = effective_at + 1 WHERE seq = 2")
            let faults = try await LedgerCheck(pool: store.pool).faults()
            let erased = try await store.erase(anna)
            let left = try await LedgerCheck(pool: store.pool).faults()
            #expect(left.map(\.defect) == faults.map(\.defect) && left.map(\.user).contains(erased))
            try await store.schema.rows("DELETE FROM notes")
            let more = try await LedgerCheck(pool: store.pool).faults(of: ben)
            #expect(more.map(\.defect).contains(.noteEdited(sequence: 1)))
            #expect(try await LedgerCheck(pool: store.pool).faults(of: erased) == left.filter { $0.user == erased })
        }
    }

    @Test func `whoever comes back under the id is told nothing of before`() async throws {
        try await TestStore.open(instances: 2) { store in
            try await store.attach(Sample.pass("1", day: 30), to: anna)
            // Both instances have cached the ledger.
            for instance in store.instances { #expect(try await instance.reader.ledger(of: anna).entries.count == 2) }
            try await store.erase(anna)
            for instance in store.instances { #expect(try await instance.reader.ledger(of: anna).entries.isEmpty) }
            try await store.attach(Sample.pass("2", day: 30), to: anna, via: 1)
            for instance in store.instances {
                let keys = try await instance.reader.ledger(of: anna).entries.compactMap(\.fact.purchase)
                #expect(Set(keys) == [Sample.pass("2").key])
            }
        }
    }

    /// Anna has what one buys, a token, a device and what an operator noted; a text names her Apple account.
    private func fill(_ store: TestStore) async throws -> AccountToken {
        let token = try await store.instances[0].tokens.token(of: anna)
        try await store.attach(Belongings.sales[0], to: anna, text: Self.text)
        try await Belongings.fill(store, anna)
        try await store.register(Sample.device("phone1"), of: anna, named: DeviceName("Annas phone"))
        _ = try await store.ledger.record(for: [anna]) { [anna] in
            OperatorAct(on: anna, note: Note(actor: "support", reason: "for the pass"))
                .nameSandboxTester(true, given: $0)
        }
        return token
    }

    /// The audit trail and an idempotency key tell of somebody.
    private func tell(of user: UserID, to store: TestStore) async throws {
        let label = Sample.labels.label(.idempotencyKey, "api_key", "1", "her order")
        let request = IdempotentRequest(
            of: 1, key: label, digest: Label("asked"),
            about: .user(Sample.labels.label(.user, user.text), and: nil))
        _ = try await TestOperators(store).idempotency.claim(request)
        let audit = AuditedAct(
            by: .commandLine, .unnameSandboxTester, to: user, details: ["she": "is shy"], reason: "she is shy")
        _ = try await store.ledger.record(for: [user], audit: audit) {
            OperatorAct(on: user, note: Sample.note).nameSandboxTester(false, given: $0)
        }
    }
}

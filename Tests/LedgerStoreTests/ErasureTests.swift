import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// An erased person is gone and their facts stay: later refunds land, and nothing names them (`semantics.md` §5).
@Suite(.serialized) struct ErasureTests {
    private let anna = Books.user("anna")
    private let ben = Books.user("ben")
    private static let text = "signed.for 70001"

    @Test func `nothing that names the person is left in any column of any table`() async throws {
        try await Shop.open { shop in
            let token = try await fill(shop)
            try await tell(of: anna, to: shop)
            let traces = [
                "anna", "Annas phone", "phone1", "ticket 1", "70001", "order-1", "her order", "shy", "for the pass",
                token.description, token.bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(),
            ]
            let before = try await shop.everything()
            for trace in ["anna", "Annas phone", "phone1", "ticket 1", "70001", "shy", "for the pass"] {
                #expect(before.contains(trace), "\(trace)")
            }
            let erased = try await shop.erase(anna)
            #expect(try await Desk(shop).erasure(at: shop.clock.now).erase(anna, by: .commandLine, reason: "r") == nil)
            try await shop.expectNothing(of: traces)
            let export = try #require(try await Export(pool: shop.pool).document(of: erased))
            for trace in traces { #expect(!export.contains(trace), "\(trace)") }
            let audit = try await AuditTrail.page(before: nil, limit: 10, from: shop.pool)
            #expect(audit.map(\.action) == ["user.erase", "sandbox_tester.unname"])
            #expect(audit.map(\.reason) == ["asked", nil] && audit.allSatisfy { $0.user == nil && $0.subject != nil })
            try await shop.expectWhole()
            #expect(try await LedgerAudit(pool: shop.pool).faults(of: erased) == [])
            #expect(try await shop.ledger(of: anna).entries.isEmpty)
        }
    }

    @Test func `no fact, hash or digest changes, and of nobody else any row`() async throws {
        try await Shop.open { shop in
            for user in [ben, Books.user("cleo")] {
                _ = try await shop.instances[0].tokens.token(of: user)
                try await shop.attach(Books.pass("of \(user)", day: 30, account: user.text), to: user)
                try await shop.register(Books.device("d"), of: user)
                try await shop.grant(.addDays(9, of: TierID("pro")), as: "to \(user)", to: user)
            }
            _ = try await fill(shop)
            try await tell(of: anna, to: shop)
            try await shop.transfer(.one(PurchaseName(ExternalID("20004"))), from: anna, to: ben)
            try await shop.transfer(.one(PurchaseName(ExternalID("to ben"))), from: ben, to: anna)
            let before = try await shop.dumps()
            let (hers, bens) = try await (shop.status(of: anna), shop.status(of: ben))
            let pseudonym = try await shop.schema.number("SELECT pseudonym FROM users WHERE user_id = 'anna'")
            let erased = try await shop.erase(anna)
            let after = try await shop.dumps()
            #expect(
                Self.changed(before, after) == [
                    "account_tokens": [-1, 1], "audit_entries": [0, 1], "audit_heads": [-1, 1], "audit_notes": [-1, 1],
                    "idempotency_keys": [-1, 0], "notes": [-6, 0], "signed_texts": [-6, 0], "users": [-1, 1],
                ])
            #expect(erased.pseudonym.map { Int($0) } == pseudonym)
            #expect(try await shop.status(of: ben) == bens)
            let left = try await shop.status(of: erased)
            #expect(left.entitlements == hers.entitlements && left.segments == hers.segments)
            #expect(left.credits == hers.credits && left.devices == hers.devices)
            try await shop.expectWhole()
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
        try await Shop.open(instances: 2) { shop in
            try await Belongings.fill(shop, anna)
            // Both instances have the ledger at hand.
            for instance in shop.instances { _ = try await instance.reader.ledger(of: anna) }
            let erased = try await shop.erase(anna)
            let refund = Belongings.refundOfPass
            #expect(try await shop.attach(refund, to: ben, text: "a", via: 1) == .failure(.ownedByAnotherUser))
            let counts = try await shop.schema.counts()
            #expect(counts["signed_texts"] == 0)
            for (spelling, instance) in [("a", 0), ("b", 1), ("c", 0)] {
                let answer = try await shop.attach(refund, to: ben, text: spelling, via: instance)
                #expect(answer == .failure(.ownedByAnotherUser))
            }
            #expect(try await shop.schema.counts() == counts)
            #expect(try await shop.ledger(of: erased).entries.last?.fact == .stated(.purchase(refund)))
            try await shop.expectWhole()
        }
    }

    @Test func `a new transaction of a chain lands too, and a signed text that was there is told of no more`()
        async throws
    {
        try await Shop.open { shop in
            try await Belongings.fill(shop, anna)
            let erased = try await shop.erase(anna)
            let renewal = Books.sale(
                "20005", of: "plan.month", .plan, day: 62, transaction: "20009", period: "40009",
                account: Belongings.account, signedDay: 40)
            for _ in 0..<2 { try await shop.attach(renewal, to: ben) }
            let entries = try await shop.ledger(of: erased).entries
            #expect(entries.count { $0.fact == .stated(.purchase(renewal)) } == 1)
            #expect(try await shop.texts == [])
            try await shop.expectWhole()
        }
    }

    @Test func `what is known already adds nothing, and nobody else claims any of it`() async throws {
        try await Shop.open(instances: 2) { shop in
            let token = try await fill(shop)
            try await shop.erase(anna)
            try await shop.attach(Books.pass("bens", day: 30), to: ben)
            let counts = try await shop.schema.counts()
            for (number, sale) in Belongings.sales.enumerated() {
                for proof in [nil, "70002"] {
                    let answer = try await shop.attach(sale, to: ben, proof: proof, via: number % 2)
                    #expect(answer == .failure(.ownedByAnotherUser))
                }
            }
            let verdicts = try await shop.restore(Belongings.sales, to: ben)
            #expect(verdicts.allSatisfy { $0 == .refused(.ownedByAnotherUser) || $0 == .duplicateInRequest })
            #expect(try await shop.schema.counts() == counts)
            // What nobody had attached is vetoed by the token, except against the proof of the same Apple account.
            let late = Books.pass("late", day: 31, token: token, account: Belongings.account)
            #expect(try await shop.attach(late, to: ben) == .failure(.accountTokenMismatch))
            #expect(try await shop.attach(late, to: ben, proof: "70002") == .failure(.accountTokenMismatch))
            #expect(try await shop.attach(late, to: ben, proof: Belongings.account) == .success(.unowned))
            try await shop.expectWhole()
        }
    }

    @Test func `a legacy token of an erased number vetoes where legacy tokens are decoded`() async throws {
        try await Shop.open(legacyTokens: true) { shop in
            let legacy = try #require(AccountToken("0000002A-0000-0000-0000-000000000000"))
            try await shop.attach(Books.pass("0"), to: Books.user("42"))
            try await shop.erase(Books.user("42"))
            #expect(try await shop.attach(Books.pass("1", token: legacy), to: ben) == .failure(.accountTokenMismatch))
            // Whoever signs in by that number is whom the token names.
            #expect(try await shop.attach(Books.pass("1", token: legacy), to: Books.user("42")) == .success(.unowned))
            try await shop.erase(Books.user("42"))
            #expect(try await shop.attach(Books.pass("2", token: legacy), to: ben) == .failure(.accountTokenMismatch))
            #expect(try await shop.attach(Books.pass("2", token: legacy), to: Books.user("42")) == .success(.unowned))
        }
    }

    @Test func `somebody with nothing, or with grants alone, is erased too`() async throws {
        try await Shop.open { shop in
            _ = try await shop.instances[0].tokens.token(of: anna)
            try await shop.erase(anna)
            try await shop.grant(.addDays(9, of: TierID("pro")), as: "30001", to: ben)
            let erased = try await shop.erase(ben)
            try await shop.expectNothing(of: ["anna", "ben", "ticket 1"])
            try await shop.expectWhole()
            #expect(try await shop.status(of: erased).active)
            // What was given once under a name is not given to somebody else.
            await #expect(throws: DatabaseError.self) {
                try await shop.grant(.addDays(9, of: TierID("pro")), as: "30001", to: Books.user("cleo"))
            }
            #expect(try await shop.schema.counts()["purchases"] == 1)
        }
    }

    @Test func `an operator finds by the number what nobody has any more`() async throws {
        try await Shop.open { shop in
            try await Belongings.fill(shop, anna)
            try await shop.erase(anna)
            let (reader, labels) = (Desk(shop).reader, Books.labels)
            for sale in [Belongings.sales[0], Belongings.sales[2]] {
                let found = try await reader.search(sale.key.externalID.text, under: labels)
                #expect(found.first == .purchase(sale.key, owner: nil))
            }
            let copy = try await reader.search("20002", under: labels)
            #expect(copy == [.transaction(TransactionID("20002"), of: Belongings.sales[0].key, owner: nil)])
        }
    }

    @Test func `what was edited before is found after, and the words of the living are missed as ever`() async throws {
        try await Shop.open { shop in
            try await Belongings.fill(shop, anna)
            try await shop.grant(.addDays(9, of: TierID("pro")), as: "bens", to: ben)
            try await shop.schema.rows("UPDATE ledger_entries SET effective_at = effective_at + 1 WHERE seq = 2")
            let faults = try await LedgerAudit(pool: shop.pool).faults()
            let erased = try await shop.erase(anna)
            let left = try await LedgerAudit(pool: shop.pool).faults()
            #expect(left.map(\.defect) == faults.map(\.defect) && left.map(\.user).contains(erased))
            try await shop.schema.rows("DELETE FROM notes")
            let more = try await LedgerAudit(pool: shop.pool).faults(of: ben)
            #expect(more.map(\.defect).contains(.noteEdited(sequence: 1)))
            #expect(try await LedgerAudit(pool: shop.pool).faults(of: erased) == left.filter { $0.user == erased })
        }
    }

    @Test func `whoever comes back under the id is told nothing of before`() async throws {
        try await Shop.open(instances: 2) { shop in
            try await shop.attach(Books.pass("1", day: 30), to: anna)
            // Both instances have the ledger at hand.
            for instance in shop.instances { #expect(try await instance.reader.ledger(of: anna).entries.count == 2) }
            try await shop.erase(anna)
            for instance in shop.instances { #expect(try await instance.reader.ledger(of: anna).entries.isEmpty) }
            try await shop.attach(Books.pass("2", day: 30), to: anna, via: 1)
            for instance in shop.instances {
                let keys = try await instance.reader.ledger(of: anna).entries.compactMap(\.fact.purchase)
                #expect(Set(keys) == [Books.pass("2").key])
            }
        }
    }

    /// Anna has what one buys, a token, a device and what an operator noted; a text names her Apple account.
    private func fill(_ shop: Shop) async throws -> AccountToken {
        let token = try await shop.instances[0].tokens.token(of: anna)
        try await shop.attach(Belongings.sales[0], to: anna, text: Self.text)
        try await Belongings.fill(shop, anna)
        try await shop.register(Books.device("phone1"), of: anna, named: DeviceName("Annas phone"))
        _ = try await shop.ledger.record(for: [anna]) { [anna] in
            NameSandboxTester(anna, isTester: true, note: Note(actor: "support", reason: "for the pass"))
                .decide(given: $0)
        }
        return token
    }

    /// The audit trail and an idempotency key tell of somebody.
    private func tell(of user: UserID, to shop: Shop) async throws {
        let label = Books.labels.label(.idempotencyKey, "api_key", "1", "her order")
        let request = IdempotentRequest(
            of: 1, key: label, digest: Label("asked"),
            about: .user(Books.labels.label(.user, user.text), and: nil))
        _ = try await Desk(shop).idempotency.claim(request)
        let audit = AuditedAct(
            by: .commandLine, .unnameSandboxTester, to: user, details: ["she": "is shy"], reason: "she is shy")
        _ = try await shop.ledger.record(for: [user], audit: audit) { history -> Decision<Bool, Never> in
            NameSandboxTester(user, isTester: false, note: Books.note).decide(given: history)
        }
    }
}

import Entitlements
import Foundation
import LedgerStore
import MariaDB
import Support
import Testing

/// An erased person is gone and their facts stay: later refunds land, the chain verifies, and the same Apple account claims
/// what is left (`semantics.md` §5).
@Suite(.serialized) struct ErasureTests {
    private let anna = Books.user("anna")
    private let ben = Books.user("ben")
    private let secret = DeviceName("Annas phone")

    @Test func `nothing that names the person is left in any table`() async throws {
        try await Shop.open { shop in
            let token = try await fill(shop)
            try await tell(of: anna, to: shop)
            let erased = try #require(try await erase(anna, in: shop))
            #expect(try await erase(anna, in: shop) == nil)
            var text = ""
            for table in TestSchema.tables { text += "\(try await shop.schema.dump(table))" }
            for trace in [
                "anna", "Annas phone", "phone1", "ticket 1", "apple 1", "jws of anna", "\(token.bytes)", "her order",
                "shy",
            ] {
                #expect(!text.contains(trace), "\(trace)")
            }
            #expect(try await shop.schema.counts()["tombstones"] == 1)
            let audit = try await AuditTrail.page(before: nil, limit: 10, from: shop.pool)
            #expect(audit.map(\.action) == ["user.erase", "sandbox_tester.unname"])
            #expect(audit.map(\.reason) == ["asked", nil] && audit.allSatisfy { $0.user == nil && $0.subject != nil })
            #expect(try await Desk(shop).defects() == [])
            #expect(try await LedgerAudit(pool: shop.pool).faults() == [])
            #expect(try await LedgerAudit(pool: shop.pool).faults(of: erased) == [])
            let facts = try await shop.ledger(of: erased).entries.map(\.fact)
            #expect(facts.contains { $0.purchase?.isTombstone ?? false })
            #expect(!facts.contains { if case .device = $0 { true } else { false } })
            #expect(try await shop.ledger(of: anna).entries.isEmpty)
            let before = try await shop.schema.dump("subscriptions")
            #expect(before.count == 2)
            try await Projection(pool: shop.pool, settings: Books.settings).rebuild(
                given: shop.instances[0].shelf.snapshot)
            #expect(try await shop.schema.dump("subscriptions") == before)
        }
    }

    @Test func `a later refund lands in the erased person's ledger and brings no name back`() async throws {
        try await Shop.open(instances: 2) { shop in
            let token = try await fill(shop)
            let erased = try #require(try await erase(anna, in: shop))
            let refund = Books.pass("1", day: 30, token: token, account: "apple 1", signedDay: 41, revokedDay: 41)
            #expect(
                try await shop.attach(refund, to: ben, text: "jws of anna", via: 1) == .failure(.ownedByAnotherUser))
            let ledger = try await shop.ledger(of: erased)
            #expect(ledger.entries.last?.fact.state?.revocation == refund.revocation)
            #expect(try await shop.schema.counts()["signed_texts"] == 0)
            #expect(try await shop.schema.dump("apple_iap_transactions").description.contains("apple 1") == false)
            let counts = try await shop.schema.counts()
            #expect(try await shop.attach(refund, to: ben, text: "jws of anna") == .failure(.ownedByAnotherUser))
            #expect(try await shop.schema.counts() == counts)
            #expect(try await LedgerAudit(pool: shop.pool).faults() == [])
        }
    }

    @Test func `the same Apple account claims all that is left, and nobody else anything`() async throws {
        try await Shop.open(instances: 2) { shop in
            let token = try await fill(shop)
            let erased = try #require(try await erase(anna, in: shop))
            let pass = Books.pass("1", day: 30, token: token, account: "apple 1")
            #expect(try await shop.attach(pass, to: ben) == .failure(.ownedByAnotherUser))
            #expect(try await shop.attach(pass, to: ben, proof: "apple 2") == .failure(.ownedByAnotherUser))
            // A purchase that nobody had attached, with the erased person's token.
            let late = Books.pass("late", day: 31, token: token, account: "apple 1")
            #expect(try await shop.attach(late, to: ben) == .failure(.accountTokenMismatch))
            #expect(try await shop.attach(late, to: ben, proof: "apple 1") == .success(.unowned))
            // The person comes back under the same name, as somebody else.
            #expect(try await shop.attach(pass, to: anna, proof: "apple 1", via: 1) == .success(.transferred))
            let back = try await shop.ledger(of: anna)
            #expect(back.entries.count { if case .received = $0.fact { true } else { false } } == 2)
            #expect(try await shop.timeline(of: anna).status(at: shop.clock.now).active)
            #expect(try await !shop.timeline(of: erased).status(at: shop.clock.now).active)
            #expect(try await LedgerAudit(pool: shop.pool).faults() == [])
            // It moves on from there like any other.
            #expect(try await shop.transfer(.all, from: anna, to: ben).get().count == 2)
            #expect(try await LedgerAudit(pool: shop.pool).faults() == [])
        }
    }

    @Test func `what the same Apple account claims is proved again by the texts that it sends`() async throws {
        try await Shop.open(instances: 2) { shop in
            let token = try await fill(shop)
            let (first, second) = (state("1", token), state("2", token))
            let repeated = state("1", token, signedDay: 36)
            try await shop.attach(repeated, to: anna, text: "of a content that is there")
            _ = try await erase(anna, in: shop)
            let refund = state("1", token, signedDay: 41, revokedDay: 41)
            try await shop.attach(refund, to: ben, text: "refund")
            #expect(try await shop.texts == [])

            #expect(try await shop.attach(first, to: anna, text: "first", proof: "apple 1") == .success(.transferred))
            #expect(try await texts(of: anna, in: shop) == ["first", nil, "first", nil])
            try await shop.attach(refund, to: anna, text: "refund", via: 1)
            let news = state("2", token, signedDay: 42)
            try await shop.attach(news, to: anna, text: "news of the second", via: 1)
            let all = ["first", "news of the second", "first", "refund", "news of the second"]
            #expect(try await texts(of: anna, in: shop) == all)
            for (state, text) in [(first, "first"), (second, "another spelling"), (repeated, "late"), (refund, "r")] {
                #expect(try await shop.attach(state, to: anna, text: text) == .success(.alreadyTheirs))
            }
            #expect(try await texts(of: anna, in: shop) == all)
            #expect(try await LedgerAudit(pool: shop.pool).faults() == [])
        }
    }

    @Test func `a legacy token of an erased number vetoes where legacy tokens are decoded`() async throws {
        try await Shop.open(legacyTokens: true) { shop in
            let legacy = try #require(AccountToken("0000002A-0000-0000-0000-000000000000"))
            try await shop.attach(Books.pass("0"), to: Books.user("42"))
            _ = try await erase(Books.user("42"), in: shop)
            #expect(try await shop.attach(Books.pass("1", token: legacy), to: ben) == .failure(.accountTokenMismatch))
            // Whoever signs in by that number is whom the token names.
            #expect(try await shop.attach(Books.pass("1", token: legacy), to: Books.user("42")) == .success(.unowned))
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
                            if racer == 7 { _ = try await erase(user, in: shop) }
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
        var options = PrivateMariaDB.Options()
        options.listensOnLoopback = true
        options.skipsGrants = true
        let server = try PrivateMariaDB.start(options)
        defer { server.kill() }
        let proxy = try PacketProxy(to: server.port)
        defer { proxy.stop() }
        try await Shop.open(server: server, through: proxy.port) { shop in
            let desk = Desk(shop)
            for round in 1...5 {
                try await shop.attach(Books.pass("\(round)", day: 30), to: anna)
                let asked = IdempotentRequest(
                    owner: .apiKey(1), key: "\(round)", hash: [UInt8](repeating: 1, count: 32),
                    about: .user(anna, and: nil))
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

    @Test func `whoever comes back under the id is told nothing of before`() async throws {
        try await Shop.open(instances: 2) { shop in
            try await shop.attach(Books.pass("1", day: 30), to: anna)
            // Both instances have the ledger at hand.
            for instance in shop.instances { #expect(try await instance.reader.ledger(of: anna).entries.count == 2) }
            _ = try await erase(anna, in: shop)
            for instance in shop.instances { #expect(try await instance.reader.ledger(of: anna).entries.isEmpty) }
            try await shop.attach(Books.pass("2", day: 30), to: anna, via: 1)
            for instance in shop.instances {
                let keys = try await instance.reader.ledger(of: anna).entries.compactMap(\.fact.purchase)
                #expect(Set(keys) == [Books.pass("2").key])
            }
        }
    }

    /// Anna has two passes of one Apple account, a token, a device and what an operator noted.
    private func fill(_ shop: Shop) async throws -> AccountToken {
        let token = try await shop.instances[0].tokens.token(of: anna)
        for (number, day) in [("1", 30), ("2", 33)] {
            try await shop.attach(
                Books.pass(number, day: day, token: token, account: "apple 1"), to: anna, text: "jws of anna \(number)")
        }
        try await shop.register(Books.device("phone1"), of: anna, named: secret)
        _ = try await shop.ledger.record(for: [anna]) { [anna] in
            NameSandboxTester(anna, isTester: true, note: Books.note).decide(given: $0)
        }
        return token
    }

    /// The audit trail and an idempotency key tell of somebody.
    private func tell(of user: UserID, to shop: Shop) async throws {
        for (owner, key) in [(IdempotencyOwner.user(user), "her order"), (.apiKey(1), "a server's")] {
            let request = IdempotentRequest(
                owner: owner, key: key, hash: [UInt8](repeating: 1, count: 32), about: .user(user, and: nil))
            _ = try await Desk(shop).idempotency.claim(request)
        }
        let audit = AuditedAct(
            by: .commandLine, .unnameSandboxTester, to: user, details: ["she": "is shy"], reason: "she is shy")
        _ = try await shop.ledger.record(for: [user], audit: audit) { history -> Decision<Bool, Never> in
            NameSandboxTester(user, isTester: false, note: Books.note).decide(given: history)
        }
    }

    /// A state of one of Anna's passes.
    private func state(
        _ number: String, _ token: AccountToken, signedDay: Int? = nil, revokedDay: Int? = nil
    ) -> VerifiedPurchase {
        Books.pass(
            number, day: number == "1" ? 30 : 33, token: token, account: "apple 1", signedDay: signedDay,
            revokedDay: revokedDay)
    }

    /// What the export has for each state, in the order of recording.
    private func texts(of user: UserID, in shop: Shop) async throws -> [String?] {
        let document = try #require(try await Export(pool: shop.pool).document(of: user))
        let json = try #require(try JSONSerialization.jsonObject(with: Data(document.utf8)) as? [String: Any])
        return try #require(json["transactions"] as? [[String: Any]]).map { $0["signed_text"] as? String }
    }

    private func erase(_ user: UserID, in shop: Shop) async throws -> UserID? {
        try await Desk(shop).erasure(at: shop.clock.now).erase(user, by: .commandLine, reason: "asked")
    }
}

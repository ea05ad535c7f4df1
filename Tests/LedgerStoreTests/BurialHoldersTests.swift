import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// A number that stands in a living person's history stays, and goes with the last of them; and what was buried is watched
/// (`semantics.md` §5).
@Suite(.serialized) struct BurialHoldersTests {
    private let anna = Books.user("anna")
    private let ben = Books.user("ben")
    private let cleo = Books.user("cleo")

    @Test func `a living former holder keeps the number until they are erased too`() async throws {
        try await Shop.open(instances: 2) { shop in
            try await BurialTests.fill(shop, anna)
            try await shop.transfer(.all, from: anna, to: ben)
            try await shop.attach(Books.pass("20007", day: 30), to: ben)
            let history = try await shop.ledger(of: anna)
            for instance in shop.instances { _ = try await instance.reader.ledger(of: anna) }
            let bens = try await shop.erase(ben)
            let text = try await shop.everything()
            #expect(text.contains("20001") && !text.contains("20007"))
            let kept = try await shop.ledger(of: anna)
            #expect(kept.entries.map(\.fact.purchase) == history.entries.map(\.fact.purchase))
            #expect(kept.entries.map(\.fact.state?.transactionID) == history.entries.map(\.fact.state?.transactionID))
            try await shop.expectWhole()
            try await shop.attach(BurialTests.refund, to: cleo, via: 1)
            #expect(try await shop.ledger(of: bens).entries.last?.fact.state?.revocation != nil)
            try await shop.expectWhole()

            try await shop.erase(anna, via: 1)
            try await shop.expectNothing(
                of: BurialTests.traces + ["ben"], nor: BurialTests.sales + [BurialTests.refund])
            try await shop.expectWhole()
            let counts = try await shop.schema.counts()
            #expect(try await shop.attach(BurialTests.refund, to: cleo) == .failure(.ownedByAnotherUser))
            #expect(try await shop.schema.counts() == counts)
            try await shop.attach(Books.pass("20001", day: 30, account: "70001", signedDay: 45), to: cleo)
            try await shop.expectWhole()
        }
    }

    @Test func `what went to a living person stays theirs, and is buried with them`() async throws {
        try await Shop.open { shop in
            try await BurialTests.fill(shop, anna)
            try await shop.transfer(.one(PurchaseName(ExternalID("20003"))), from: anna, to: ben)
            let coins = try await shop.coins(of: ben)
            let annas = try await shop.erase(anna)
            let text = try await shop.everything()
            #expect(text.contains("20003") && !text.contains("20001") && !text.contains("order-1"))
            #expect(try await shop.coins(of: ben) == coins)
            try await shop.expectWhole()
            _ = try await shop.spend(5, of: ben, under: "order-5").get()
            let left = try await shop.coins(of: annas)
            try await shop.erase(ben)
            try await shop.expectNothing(of: BurialTests.traces + ["ben", "order-5"], nor: BurialTests.sales)
            #expect(try await shop.coins(of: annas) == left)
            try await shop.expectWhole()
        }
    }

    private static let tamperings = [
        "UPDATE ledger_entries SET effective_at = effective_at + 1 WHERE seq = 2",
        "UPDATE purchases SET external_id = REVERSE(external_id) WHERE id = 2",
        "UPDATE apple_iap_transactions SET content_hash = jws_hash WHERE id = 5",
        "UPDATE ledger_entries SET content = REPLACE(content, '30', '20') WHERE kind = 'spent'",
        "UPDATE users SET head_hash = REVERSE(head_hash)", "DELETE FROM ledger_entries WHERE seq = 1",
    ]

    @Test func `whoever edits what is buried is noticed`() async throws {
        try await Shop.open { shop in
            try await BurialTests.fill(shop, anna)
            try await shop.erase(anna)
            var faults = 0
            for tampering in Self.tamperings {
                try await shop.schema.rows(tampering)
                let found = try await LedgerAudit(pool: shop.pool).faults().count
                #expect(found > faults, "\(tampering)")
                faults = found
            }
        }
    }

    @Test func `what was edited before is still noticed when the chain was made anew`() async throws {
        try await Shop.open { shop in
            try await BurialTests.fill(shop, anna)
            try await shop.schema.rows("UPDATE ledger_entries SET effective_at = effective_at + 1 WHERE seq = 2")
            try await shop.schema.rows("UPDATE apple_iap_transactions SET quantity = 2 WHERE id = 3")
            let faults = try await LedgerAudit(pool: shop.pool).faults()
            #expect(faults.count == 2)
            let erased = try await shop.erase(anna)
            let left = try await LedgerAudit(pool: shop.pool).faults(of: erased)
            #expect(left.count == 2 && left.allSatisfy { if case .edited = $0.defect { true } else { false } })
        }
    }

    @Test func `a chain that was made anew once more does not agree with the trail`() async throws {
        try await Shop.open { shop in
            try await BurialTests.fill(shop, anna)
            try await shop.erase(anna)
            #expect(try await Desk(shop).defects() == [])
            let first = try await shop.schema.number("SELECT MIN(pseudonym) FROM users")
            let pseudonym = try #require(UInt64(exactly: first))
            // Somebody who writes the chain and the head, but cannot write the trail.
            try await shop.schema.rows("UPDATE ledger_entries SET hash = REVERSE(hash) ORDER BY seq DESC LIMIT 1")
            #expect(try await Desk(shop).defects() == [.ledgerRemade(id: 1, pseudonym: pseudonym)])
        }
    }

    @Test func `the trail says where a chain led without telling what could be guessed`() async throws {
        try await Shop.open { shop in
            try await BurialTests.fill(shop, anna)
            let head = try await shop.schema.rows("SELECT LOWER(HEX(head_hash)) FROM users")
            try await shop.erase(anna)
            let after = try await shop.schema.rows("SELECT LOWER(HEX(head_hash)) FROM users")
            guard case .text(let before)? = head.first?.first, case .text(let now)? = after.first?.first else {
                throw Books.Missing()
            }
            let details = try #require(try await AuditTrail.page(before: nil, limit: 1, from: shop.pool).first?.details)
            #expect(before != now && details.contains(now) && !details.contains(before))
        }
    }
}

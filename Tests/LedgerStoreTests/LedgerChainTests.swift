import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// The hash chain of each ledger leads from its first entry to its head, and any edit is found.
@Suite struct LedgerChainTests {
    @Test func `the chains recompute from the tables and find every edit`() async throws {
        try await Shop.open { shop in
            let token = try await shop.instances[0].tokens.token(of: Books.user(1))
            for user in 1...3 {
                try await shop.restore(
                    (0..<4).map { Books.pass("\(user)-\($0)", day: $0, token: user == 1 ? token : nil) },
                    to: Books.user(user))
                try await shop.attach(
                    Books.pass("\(user)-1", day: 1, token: user == 1 ? token : nil, signedDay: 9, revokedDay: 8),
                    to: Books.user(user))
            }
            #expect(try await shop.schema.counts()["ledger_entries"] == 27)
            #expect(try await LedgerChain.faults(in: shop.schema) == [])
            let bens = try await shop.schema.number("SELECT pseudonym FROM users WHERE user_id = 'u2'")
            let edits = [
                "UPDATE ledger_entries SET recorded_at = recorded_at + 1 WHERE user_id = \(bens) AND seq = 3",
                "UPDATE ledger_entries SET effective_at = effective_at - 1 WHERE user_id = \(bens) AND seq = 3",
                "UPDATE ledger_entries SET hash = REPEAT('x', 32) WHERE user_id = \(bens) AND seq = 3",
                "UPDATE ledger_entries SET user_id = 1, seq = 10 WHERE user_id = \(bens) AND seq = 3",
                "DELETE FROM ledger_entries WHERE user_id = \(bens) AND seq = 3",
                "DELETE FROM ledger_entries WHERE user_id = \(bens) AND seq = 9",
                "DELETE FROM ledger_entries WHERE user_id = \(bens)",
                "UPDATE apple_iap_transactions SET revocation_at = NULL WHERE revocation_at IS NOT NULL LIMIT 1",
                "UPDATE apple_iap_transactions SET product_id = 'basic.30' LIMIT 1",
                "UPDATE apple_iap_transactions SET quantity = 9 LIMIT 1",
                "UPDATE purchases SET external_id = 'other' LIMIT 1",
                "UPDATE users SET head_hash = REPEAT('x', 32) WHERE pseudonym = \(bens)",
            ]
            var found = 0
            for edit in edits {
                let kept = try await keep(shop)
                try await shop.schema.rows(edit)
                #expect(try await !LedgerChain.faults(in: shop.schema).isEmpty, "\(edit)")
                found += 1
                try await kept()
                #expect(try await LedgerChain.faults(in: shop.schema) == [])
            }
            #expect(found == 12)
        }
    }

    /// Copies the tables; the answer puts the copies back.
    private func keep(_ shop: Shop) async throws -> () async throws -> Void {
        let tables = ["ledger_entries", "apple_iap_transactions", "purchases", "users"]
        for table in tables {
            try await shop.schema.rows("CREATE OR REPLACE TABLE kept_\(table) AS SELECT * FROM \(table)")
        }
        return {
            for table in tables {
                try await shop.schema.rows("DELETE FROM \(table)")
                try await shop.schema.rows("INSERT INTO \(table) SELECT * FROM kept_\(table)")
            }
        }
    }
}

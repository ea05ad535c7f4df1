import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// A row of `apple_iap_transactions` says the same in its columns, its statement and its digest, whether or not a ledger repeats
/// it and whoever has the purchase.
@Suite(.serialized) struct StateAuditTests {
    private static let edits = [
        "app = 'other'", "environment = 'Sandbox'", "transaction_id = 'other'", "original_transaction_id = 'other'",
        "product_id = 'vault'", "subscription_group = 'other'", "purchase_at = purchase_at + 1",
        "original_purchase_at = original_purchase_at - 1", "expires_at = 1", "quantity = 9",
        "is_family_shared = NOT is_family_shared", "is_upgraded = NOT is_upgraded", "price = 1", "currency = 'XXX'",
        "offer = 'other'", "revocation_at = 1", "share = 1", "app_account_token = 'other'",
        "app_transaction_id = 'other'", "app_transaction_id = NULL", "signed_at = signed_at + 1",
        "statement = REPLACE(statement, 'pass.30', 'vault')", "statement = '[]'", "statement = 'no statement'",
        "content_hash = REVERSE(content_hash)", "purchase_id = 1", "purchase_id = 99",
        "user_id = 99",
    ]

    /// Row 1 is Ben's, row 2 an erased person's, row 3 repeats that and stands in no ledger, row 4 is nobody's.
    private static func fill(_ shop: Shop) async throws {
        let anna = Books.user("anna")
        let token = try await shop.instances[0].tokens.token(of: anna)
        let pass = { (signedDay: Int?) in
            Books.pass("2", day: 30, token: token, account: "apple 1", signedDay: signedDay)
        }
        try await shop.attach(Books.pass("1"), to: Books.user("ben"))
        try await shop.attach(pass(nil), to: anna)
        try await shop.attach(pass(35), to: anna)
        let late = Books.pass("3", token: token, account: "apple 1")
        #expect(try await shop.attach(late, to: Books.user("ben")) == .failure(.accountTokenMismatch))
        try await shop.erase(anna)
        #expect(try await shop.schema.number("SELECT COUNT(DISTINCT state_id) FROM ledger_entries") == 2)
    }

    @Test(arguments: [2, 3, 4] as [UInt64])
    func `an edit of any of the three is found`(row: UInt64) async throws {
        try await Shop.open { shop in
            try await Self.fill(shop)
            let whole = try await StateAudit.run(from: shop.pool)
            #expect(whole.states == 4 && whole.faults == [])
            try await shop.schema.rows("CREATE TABLE kept AS SELECT * FROM apple_iap_transactions")
            for edit in Self.edits {
                try await shop.schema.rows("UPDATE apple_iap_transactions SET \(edit) WHERE id = \(row)")
                #expect(try await StateAudit.run(from: shop.pool).faults == [row], "\(edit)")
                let lines = try await BooksAudit(of: shop.pool) { _ in }.faults
                #expect(lines.contains("row \(row) of apple_iap_transactions does not agree with itself"), "\(edit)")
                try await shop.schema.rows("REPLACE INTO apple_iap_transactions SELECT * FROM kept")
            }
            try await shop.expectWhole()
        }
    }

    @Test func `of one person the states of what they have or had are gone over`() async throws {
        try await Shop.open { shop in
            let (anna, ben) = (Books.user("anna"), Books.user("ben"))
            try await shop.attach(Books.pass("1"), to: anna)
            try await shop.attach(Books.pass("2"), to: ben)
            try await shop.attach(Books.pass("3"), to: anna)
            _ = try await shop.transfer(.one(PurchaseName(ExternalID("3"))), from: anna, to: ben)
            for (user, count) in [(anna, 2), (ben, 2)] {
                let audit = try #require(try await BooksAudit(of: shop.pool, ledgerOf: user))
                #expect(audit.states.states == count && audit.states.faults == [])
            }
            try await shop.schema.rows(
                "UPDATE apple_iap_transactions SET quantity = 2 WHERE transaction_id IN ('2', '3')")
            let audits = [
                try await BooksAudit(of: shop.pool, ledgerOf: anna), try await BooksAudit(of: shop.pool, ledgerOf: ben),
            ]
            #expect(audits.map { $0?.states.faults.count } == [1, 2])
        }
    }

    @Test func `more rows than a page are all gone over`() async throws {
        try await Shop.open { shop in
            for number in 0..<3 {
                try await shop.restore(
                    (0..<400).map { Books.pass("\(number)-\($0)") }, to: Books.user(number))
            }
            let ids = try await shop.schema.rows("SELECT id FROM apple_iap_transactions ORDER BY id").map(\.[0])
            let edited = [0, 999, 1_000, 1_199].map { ids[$0] }
            for id in edited {
                try await shop.schema.rows("UPDATE apple_iap_transactions SET quantity = 2 WHERE id = ?", [id])
            }
            let audit = try await StateAudit.run(from: shop.pool)
            #expect(audit.states == 1_200 && audit.faults.map { .uint64($0) } == edited)
        }
    }
}

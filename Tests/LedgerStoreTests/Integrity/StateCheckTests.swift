import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// A row of `apple_iap_transactions` says the same in its columns, its statement and its digest, whether or not a
/// ledger repeats it and whoever has the purchase.
@Suite(.serialized) struct StateCheckTests {
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
    private static func fill(_ store: TestStore) async throws {
        let anna = Sample.user("anna")
        let token = try await store.instances[0].tokens.token(of: anna)
        let pass = { (signedDay: Int?) in
            Sample.pass("2", day: 30, token: token, account: "apple 1", signedDay: signedDay)
        }
        try await store.attach(Sample.pass("1"), to: Sample.user("ben"))
        try await store.attach(pass(nil), to: anna)
        try await store.attach(pass(35), to: anna)
        let late = Sample.pass("3", token: token, account: "apple 1")
        #expect(try await store.attach(late, to: Sample.user("ben")) == .failure(.accountTokenMismatch))
        try await store.erase(anna)
        #expect(try await store.schema.number("SELECT COUNT(DISTINCT state_id) FROM ledger_entries") == 2)
    }

    @Test(arguments: [2, 3, 4] as [UInt64])
    func `an edit of any of the three is found`(row: UInt64) async throws {
        try await TestStore.open { store in
            try await Self.fill(store)
            let whole = try await StateCheck.run(from: store.pool)
            #expect(whole.states == 4 && whole.faults == [])
            try await store.schema.rows("CREATE TABLE kept AS SELECT * FROM apple_iap_transactions")
            for edit in Self.edits {
                try await store.schema.rows("UPDATE apple_iap_transactions SET \(edit) WHERE id = \(row)")
                #expect(try await StateCheck.run(from: store.pool).faults == [row], "\(edit)")
                let lines = try await IntegrityCheck(of: store.pool) { _ in }.faults
                #expect(lines.contains("row \(row) of apple_iap_transactions does not agree with itself"), "\(edit)")
                try await store.schema.rows("REPLACE INTO apple_iap_transactions SELECT * FROM kept")
            }
            try await store.expectWhole()
        }
    }

    @Test func `of one person the states of what they have or had are gone over`() async throws {
        try await TestStore.open { store in
            let (anna, ben) = (Sample.user("anna"), Sample.user("ben"))
            try await store.attach(Sample.pass("1"), to: anna)
            try await store.attach(Sample.pass("2"), to: ben)
            try await store.attach(Sample.pass("3"), to: anna)
            _ = try await store.transfer(.one(PurchaseName(ExternalID("3"))), from: anna, to: ben)
            for (user, count) in [(anna, 2), (ben, 2)] {
                let check = try #require(try await IntegrityCheck(of: store.pool, ledgerOf: user))
                #expect(check.states.states == count && check.states.faults == [])
            }
            try await store.schema.rows(
                "UPDATE apple_iap_transactions SET quantity = 2 WHERE transaction_id IN ('2', '3')")
            let checks = [
                try await IntegrityCheck(of: store.pool, ledgerOf: anna),
                try await IntegrityCheck(of: store.pool, ledgerOf: ben),
            ]
            #expect(checks.map { $0?.states.faults.count } == [1, 2])
        }
    }

    @Test func `more rows than a page are all gone over`() async throws {
        try await TestStore.open { store in
            for number in 0..<3 {
                try await store.restore(
                    (0..<400).map { Sample.pass("\(number)-\($0)") }, to: Sample.user(number))
            }
            let ids = try await store.schema.rows("SELECT id FROM apple_iap_transactions ORDER BY id").map(\.[0])
            let edited = [0, 999, 1_000, 1_199].map { ids[$0] }
            for id in edited {
                try await store.schema.rows("UPDATE apple_iap_transactions SET quantity = 2 WHERE id = ?", [id])
            }
            let check = try await StateCheck.run(from: store.pool)
            #expect(check.states == 1_200 && check.faults.map { .uint64($0) } == edited)
        }
    }
}

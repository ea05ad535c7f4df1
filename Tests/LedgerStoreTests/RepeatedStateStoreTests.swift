import Entitlements
import LedgerStore
import Support
import Testing

/// States that repeat what was said before stay out of ledgers, and none is lost (`semantics.md` §1).
@Suite struct RepeatedStateStoreTests {
    private let anna = Books.user("anna")

    private static let entries = "SELECT COUNT(*) FROM ledger_entries WHERE kind = 'purchase_state'"

    private func revoked(_ day: Int) -> VerifiedPurchase { Books.pass("1", signedDay: day, revokedDay: 2) }

    @Test func `500 newly signed texts of one purchase in one restore add one entry and 500 states`() async throws {
        try await Shop.open { shop in
            let states = (0..<500).map { second in
                VerifiedPurchase(
                    key: Books.pass("1").key, transactionID: TransactionID("1"), productID: ProductID("pass.30"),
                    type: .pass, purchasedAt: Books.opening, signedAt: Books.opening + Int64(second) * 1_000)
            }
            try await shop.restore(states.shuffled(), to: anna)
            #expect(try await shop.schema.counts()["apple_iap_transactions"] == 500)
            let entered = try await shop.schema.number(Self.entries)
            #expect(entered < 20, "\(entered): each was the earliest until an earlier one came")
            try await shop.restore(states, to: anna)
            #expect(try await shop.schema.number(Self.entries) == entered)
            #expect(try await LedgerAudit(pool: shop.pool).faults() == [])
        }
    }

    @Test func `a refund that was signed between two repeats enters with the second, in one transaction`() async throws
    {
        try await Shop.open(instances: 2) { shop in
            try await shop.attach(Books.pass("1"), to: anna)
            try await shop.attach(Books.pass("1", signedDay: 9), to: anna, via: 1)
            #expect(try await shop.schema.number(Self.entries) == 1)
            try await shop.attach(revoked(5), to: anna)
            #expect(try await shop.schema.number(Self.entries) == 3)
            #expect(try await shop.timeline(of: anna).standing(of: revoked(5).key, at: shop.clock.now) != .revoked)
            for state in [Books.pass("1", signedDay: 9), revoked(5)] { try await shop.attach(state, to: anna, via: 1) }
            #expect(try await shop.schema.number(Self.entries) == 3)
            try await shop.attach(revoked(4), to: anna)
            try await shop.attach(Books.pass("1", signedDay: 8), to: anna)
            #expect(try await shop.schema.number(Self.entries) == 5, "what stands there is not entered again")
            #expect(try await LedgerAudit(pool: shop.pool).faults() == [])
        }
    }

    @Test func `binding enters what says something, of all that was recorded before`() async throws {
        try await Shop.open { shop in
            let token = try await shop.instances[0].tokens.token(of: anna)
            for day in [7, 3, 0, 5] {
                let state = Books.pass("1", token: token, signedDay: day, revokedDay: day > 4 ? 2 : nil)
                #expect(try await shop.attach(state, to: Books.user("ben")) == .failure(.accountTokenMismatch))
            }
            try await shop.attach(Books.pass("1", token: token), to: anna)
            #expect(try await shop.schema.number(Self.entries) == 2)
            #expect(try await shop.timeline(of: anna).standing(of: revoked(5).key, at: shop.clock.now) == .revoked)
        }
    }
}

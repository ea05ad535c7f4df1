import Entitlements
import LedgerStore
import Support
import Testing

/// States that repeat what was said before stay out of ledgers, and none is lost (`semantics.md` §1).
@Suite struct RepeatedStateStoreTests {
    private let anna = Sample.user("anna")

    private static let entries = "SELECT COUNT(*) FROM ledger_entries WHERE kind = 'purchase_state'"

    private func revoked(_ day: Int) -> VerifiedPurchase { Sample.pass("1", signedDay: day, revokedDay: 2) }

    @Test func `500 newly signed texts of one purchase in one restore add one entry and 500 states`() async throws {
        try await TestStore.open { store in
            let states = (0..<500).map { second in
                VerifiedPurchase(
                    key: Sample.pass("1").key, transactionID: TransactionID("1"), productID: ProductID("pass.30"),
                    type: .pass, purchasedAt: Sample.epoch, signedAt: Sample.epoch + Int64(second) * 1_000)
            }
            try await store.restore(states.shuffled(), to: anna)
            #expect(try await store.schema.counts()["apple_iap_transactions"] == 500)
            let entered = try await store.schema.number(Self.entries)
            #expect(entered < 20, "\(entered): each was the earliest until an earlier one came")
            try await store.restore(states, to: anna)
            #expect(try await store.schema.number(Self.entries) == entered)
            #expect(try await LedgerCheck(pool: store.pool).faults() == [])
        }
    }

    @Test func `a refund that was signed between two repeats enters with the second, in one transaction`() async throws
    {
        try await TestStore.open(instances: 2) { store in
            try await store.attach(Sample.pass("1"), to: anna)
            try await store.attach(Sample.pass("1", signedDay: 9), to: anna, via: 1)
            #expect(try await store.schema.number(Self.entries) == 1)
            try await store.attach(revoked(5), to: anna)
            #expect(try await store.schema.number(Self.entries) == 3)
            #expect(try await store.timeline(of: anna).disposition(of: revoked(5).key, at: store.clock.now) != .revoked)
            for state in [Sample.pass("1", signedDay: 9), revoked(5)] {
                try await store.attach(state, to: anna, via: 1)
            }
            #expect(try await store.schema.number(Self.entries) == 3)
            try await store.attach(revoked(4), to: anna)
            try await store.attach(Sample.pass("1", signedDay: 8), to: anna)
            #expect(try await store.schema.number(Self.entries) == 5, "what stands there is not entered again")
            #expect(try await LedgerCheck(pool: store.pool).faults() == [])
        }
    }

    @Test func `binding enters what says something, of all that was recorded before`() async throws {
        try await TestStore.open { store in
            let token = try await store.instances[0].tokens.token(of: anna)
            for day in [7, 3, 0, 5] {
                let state = Sample.pass("1", token: token, signedDay: day, revokedDay: day > 4 ? 2 : nil)
                #expect(try await store.attach(state, to: Sample.user("ben")) == .failure(.accountTokenMismatch))
            }
            try await store.attach(Sample.pass("1", token: token), to: anna)
            #expect(try await store.schema.number(Self.entries) == 2)
            #expect(try await store.timeline(of: anna).disposition(of: revoked(5).key, at: store.clock.now) == .revoked)
        }
    }
}

import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// Signed texts are kept as long as the operator wants them, and nothing else depends on them.
@Suite(.serialized) struct SignedTextsTests {
    @Test func `texts are removed once they are older than they are to be, and nothing else is`() async throws {
        try await TestStore.open { store in
            let anna = Sample.user("anna")
            try await store.attach(Sample.pass("1"), to: anna)
            store.clock.now = store.clock.now + Instant.millisecondsPerDay
            try await store.attach(Sample.pass("2"), to: anna)
            let (first, now) = (store.clock.now + -Instant.millisecondsPerDay, store.clock.now)
            let before = try await store.schema.counts()
            let texts = SignedTexts(pool: store.pool)
            let week = 7 * Instant.millisecondsPerDay
            #expect(try await texts.sweep(olderThanDays: 7, at: first + week) == 0)
            #expect(try await texts.sweep(olderThanDays: 7, at: first + week + 1) == 1)
            #expect(try await store.texts.count == 1)
            #expect(try await texts.sweep(olderThanDays: 7, at: first + week + 1) == 0)
            var after = try await store.schema.counts()
            after["signed_texts"] = before["signed_texts"]
            #expect(after == before)

            try await store.attach(Sample.pass("1"), to: anna)
            #expect(try await store.texts.count == 1, "a repeat is known without its text")
            #expect(try await store.ledger(of: anna).entries.count == 4)
            #expect(try await texts.sweep(olderThanDays: 7, at: now + week + 1) == 1)
            #expect(try await store.texts == [])
        }
    }

    @Test func `many are removed in one sweep`() async throws {
        try await TestStore.open { store in
            try await store.schema.rows(
                """
                INSERT INTO apple_iap_transactions (purchase_id, app, environment, transaction_id,
                    original_transaction_id, product_id, product_type, purchase_at, original_purchase_at, quantity,
                    is_family_shared, is_upgraded, signed_at, recorded_at, statement, content_hash, jws_hash)
                SELECT seq, 'a', 'Production', seq, seq, 'p', 't', 0, 0, 1, 0, 0, 0, seq, '[]', UNHEX(SHA2(seq, 256)),
                    UNHEX(SHA2(seq, 256)) FROM seq_1_to_2000
                """)
            try await store.schema.rows(
                "INSERT INTO signed_texts (state_id, jws) SELECT id, 'x' FROM apple_iap_transactions")
            let texts = SignedTexts(pool: store.pool)
            let day = Instant(milliseconds: Instant.millisecondsPerDay)
            #expect(try await texts.sweep(olderThanDays: 1, at: day + 1_201) == 1_200)
            #expect(try await store.texts.count == 800)
        }
    }
}

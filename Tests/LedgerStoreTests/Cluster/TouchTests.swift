import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// Rows that a transaction locks and decides by are written by it, if it writes anything (`docs/decisions/cluster.md`).
@Suite(.timeLimit(.minutes(20))) struct TouchTests {
    private let anna = Sample.user("anna")
    private let ben = Sample.user("ben")

    /// The row of a user, or of the purchase of an id. Throws when the database is away.
    private func row(_ user: UserID, in store: TestStore) async throws -> [[Value]] {
        try await store.schema.rows("SELECT * FROM users WHERE user_id = '\(user.text)'")
    }

    private func row(purchase id: String, in store: TestStore) async throws -> [[Value]] {
        try await store.schema.rows("SELECT * FROM purchases WHERE external_id = '\(id)'")
    }

    /// Expects that `act` writes the rows of Anna and of the purchase 1, which are there. Throws what `act` throws.
    private func expectWritten(
        user writesUser: Bool = true, purchase writesPurchase: Bool = true, in store: TestStore,
        by act: () async throws -> Void
    ) async throws {
        let before = (try await row(anna, in: store), try await row(purchase: "1", in: store))
        #expect(before.0.count == 1 && before.1.count == 1)
        try await act()
        #expect(try await (row(anna, in: store) != before.0) == writesUser, "the user's row")
        #expect(try await (row(purchase: "1", in: store) != before.1) == writesPurchase, "the purchase's row")
    }

    @Test func `a first account token and a first look-up write the user`() async throws {
        try await TestStore.open { store in
            try await store.attach(Sample.pass("1"), to: anna)
            try await expectWritten(purchase: false, in: store) {
                _ = try await store.instances[0].tokens.token(of: anna)
            }
            let lookups = Lookups(
                pool: store.pool, labels: Sample.labels, now: { store.clock.now }, realNow: { store.clock.now })
            try await expectWritten(purchase: false, in: store) {
                _ = try await lookups.begin(NamedPurchases(["7"], of: Sample.app), for: anna)
            }
        }
    }

    @Test func `a refund writes the purchase, whose owner stays, and the owner's ledger`() async throws {
        try await TestStore.open { store in
            try await store.attach(Sample.pass("1"), to: anna)
            try await expectWritten(in: store) {
                try await store.attach(Sample.pass("1", signedDay: 3, revokedDay: 3), to: anna)
            }
        }
    }

    @Test func `a restore that is refused one purchase and gets another writes the first and its owner`() async throws {
        try await TestStore.open { store in
            let token = try await store.instances[0].tokens.token(of: anna)
            try await store.attach(Sample.pass("1", token: token), to: anna)
            let length = try await store.ledger(of: anna).entries.count
            try await expectWritten(in: store) {
                try await store.restore([Sample.pass("1", token: token), Sample.pass("2")], to: ben)
            }
            #expect(try await store.ledger(of: anna).entries.count == length)
            #expect(try await store.ledger(of: ben).entries.count == length)
        }
    }

    @Test func `a refused attach writes nothing`() async throws {
        try await TestStore.open { store in
            let token = try await store.instances[0].tokens.token(of: anna)
            try await store.attach(Sample.pass("1", token: token), to: anna)
            try await expectWritten(user: false, purchase: false, in: store) {
                let answer = try await store.attach(Sample.pass("1", token: token), to: ben)
                #expect(answer == .failure(.ownedByAnotherUser))
            }
        }
    }

    @Test func `a standing that is made anew, or kept after a status, writes the user`() async throws {
        try await TestStore.open { store in
            try await store.attach(Sample.pass("1", day: 39), to: anna)
            let (ledger, head) = try await store.instances[0].reader.read(anna)
            let catalogue = store.instances[0].versionCache.snapshot
            let timeline = Timeline(folding: ledger, given: catalogue, settings: Sample.settings)
            let standing = Standing(of: ledger, in: timeline, at: store.clock.now)
            _ = try await store.schema.rows("DELETE FROM standing_answers")
            try await expectWritten(purchase: false, in: store) {
                store.instances[0].standings.keep(
                    standing, StandingAnswer(substance: [1], entityTag: "1"), of: try #require(head), given: catalogue)
                while try await store.schema.number("SELECT COUNT(*) FROM standing_answers") == 0 {
                    try await Task.sleep(for: .milliseconds(5))
                }
            }
            store.clock.now = Sample.epoch + 69 * Instant.millisecondsPerDay
            try await expectWritten(purchase: false, in: store) {
                let count = try await store.instances[0].standings.makeDueAnew()
                #expect(count == 1)
            }
        }
    }
}

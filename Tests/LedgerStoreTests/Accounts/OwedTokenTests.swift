import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// Of which purchases the App Store should learn the owner's account token (`semantics.md` §5).
@Suite struct OwedTokenTests {
    private static let anna = Sample.user("anna")
    private static let ben = Sample.user("ben")

    /// The rows of the purchases about which a job is, in order.
    private static func owed(_ store: TestStore) async throws -> [[Value]] {
        try await store.schema.rows(
            """
            SELECT p.external_id FROM jobs j JOIN purchases p ON p.id = j.subject
            WHERE j.kind = 'account_token' ORDER BY p.external_id
            """)
    }

    private static func jobs(_ store: TestStore) -> Jobs {
        Jobs(pool: store.pool, now: { store.clock.now }, jitter: { 1 })
    }

    @Test func `a purchase without a token is owed one once its Apple account was proven`() async throws {
        try await TestStore.open { store in
            let token = try await store.instances[0].tokens.token(of: Self.anna)
            try await store.attach(Sample.pass("unproven", account: "a"), to: Self.anna)
            try await store.attach(Sample.pass("another's", account: "b"), to: Self.anna, proof: "a")
            try await store.attach(Sample.pass("named", token: token, account: "a"), to: Self.anna, proof: "a")
            let shared = Sample.sale(
                "shared", of: "pass.30", .pass, account: "a", isFamilyShared: true)
            try await store.attach(shared, to: Self.anna, proof: "a")
            #expect(try await Self.owed(store).isEmpty)
            try await store.attach(Sample.pass("proven", account: "a"), to: Self.anna, proof: "a")
            try await store.restore([Sample.pass("restored", account: "a")], to: Self.anna, proof: "a")
            #expect(try await Self.owed(store) == [["proven"], ["restored"]])
            try await store.attach(Sample.pass("proven", account: "a"), to: Self.anna, proof: "a")
            #expect(try await store.schema.number("SELECT COUNT(*) FROM jobs") == 2, "a repeat owes nothing more")
        }
    }

    @Test func `what an operator binds, transfers or merges is owed the token of who gets it`() async throws {
        try await TestStore.open { store in
            let (moved, merged) = (Sample.pass("moved"), Sample.pass("merged"))
            try await store.attach(moved, to: Self.anna)
            try await store.attach(merged, to: Sample.user("guest"))
            try await store.grant(.addDays(3, of: TierID("pro")), as: "gift", to: Self.anna)
            #expect(try await Self.owed(store).isEmpty)
            _ = try await store.ledger.record([OpenStore.evidence(Sample.pass("bound"))], for: [Self.anna]) {
                OperatorAct(on: Self.anna, note: Sample.note).bind(Sample.pass("bound").key, given: $0)
            }
            try await store.transfer(.one(PurchaseName(ExternalID("moved"))), from: Self.anna, to: Self.ben)
            try await store.transfer(.one(PurchaseName(ExternalID("gift"))), from: Self.anna, to: Self.ben)
            try await store.merge(Sample.user("guest"), into: Self.ben)
            #expect(try await Self.owed(store) == [["bound"], ["merged"], ["moved"]])
        }
    }

    @Test func `the present owner's token is told, and is issued where there is none`() async throws {
        try await TestStore.open { store in
            try await store.attach(Sample.pass("1", account: "a"), to: Self.anna, proof: "a")
            let job = try #require(try await Self.jobs(store).take(2, of: .accountToken).first)
            let tokens = store.instances[0].tokens
            let first = try #require(try await tokens.owed(for: job.subject))
            #expect(first.purchase == Sample.pass("1").key)
            #expect(try await tokens.token(of: Self.anna) == first.token, "it is the user's own from then on")
            #expect(try await tokens.owed(for: job.subject)?.token == first.token)
            try await store.transfer(.one(PurchaseName(ExternalID("1"))), from: Self.anna, to: Self.ben)
            let second = try #require(try await tokens.owed(for: job.subject))
            #expect(try await tokens.token(of: Self.ben) == second.token && second.token != first.token)
            // The worker who told the first token does not take away the job that the transfer began again.
            try await Self.jobs(store).finish(job)
            let again = try #require(try await Self.jobs(store).take(2, of: .accountToken).first)
            #expect(again.subject == job.subject && again.attempt == 1)
            try await Self.jobs(store).finish(again)
            #expect(try await store.schema.number("SELECT COUNT(*) FROM jobs") == 0)
        }
    }

    @Test func `nothing is owed once a text carries a token, nor to an erased person, who stays erased`() async throws {
        try await TestStore.open { store in
            let tokens = store.instances[0].tokens
            try await store.attach(Sample.pass("1", account: "a"), to: Self.anna, proof: "a")
            try await store.attach(Sample.pass("2", account: "a"), to: Self.ben, proof: "a")
            let ids = try await Self.jobs(store).take(2, of: .accountToken).map(\.subject).sorted()
            let token = try #require(try await tokens.owed(for: ids[0])).token
            try await store.attach(
                Sample.pass("1", token: token, account: "a", signedDay: 2), to: Self.anna, proof: "a")
            #expect(try await tokens.owed(for: ids[0]) == nil)
            try await store.erase(Self.ben)
            #expect(try await tokens.owed(for: ids[1]) == nil)
            #expect(try await store.schema.number("SELECT COUNT(*) FROM users WHERE user_id IS NOT NULL") == 1)
            #expect(try await tokens.owed(for: 4_711) == nil)
        }
    }
}

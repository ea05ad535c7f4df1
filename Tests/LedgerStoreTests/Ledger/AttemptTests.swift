import Entitlements
import Support
import Testing

@testable import LedgerStore
@testable import MariaDB

/// Whether a batch that runs again takes what it finds for its own.
@Suite struct AttemptTests {
    /// Expects that an attempt writes so often in two runs, if its outcome has the head of a ledger that somebody
    /// wrote.
    private static func expect(writes expected: Int, isInDoubt: Bool) async throws {
        try await TestStore.open { store in
            try await store.attach(Sample.pass("1"), to: Sample.user("anna"))
            let writes = try await store.pool.with { (session) throws(DatabaseError) in
                let heads = try UserRow.heads(of: [Sample.user("anna")], in: session).heads.values.map(\.self)
                let outcome = Batch.Outcome(
                    decided: [], written: WriteBack.Written(grown: [], heads: heads, folded: [:]))
                let attempt = Attempt()
                var writes = 0
                for isRepeat in [false, true] {
                    session.isInDoubt = isRepeat && isInDoubt
                    _ = try attempt.repeated(in: session) { () throws(DatabaseError) in
                        writes += 1
                        return .written(outcome)
                    }
                }
                session.isInDoubt = false
                return writes
            }
            #expect(writes == expected)
        }
    }

    @Test func `after an unanswered COMMIT the entries at the new heads are the batch's own`() async throws {
        try await Self.expect(writes: 1, isInDoubt: true)
    }

    @Test func `after a refusal at COMMIT equal entries are another instance's, and the batch decides again`()
        async throws
    {
        try await Self.expect(writes: 2, isInDoubt: false)
    }
}

import Entitlements
import Support
import Testing

@testable import LedgerStore
@testable import MariaDB

/// Whether a batch that runs again takes what it finds for its own.
@Suite struct AttemptTests {
    private static let removeEntries = SQLStatement("remove entries", "DELETE FROM ledger_entries")

    /// An outcome with the head of the user's ledger. Throws what the database refuses.
    private static func outcome(in session: Session) throws(DatabaseError) -> Batch.Outcome {
        let heads = try UserRow.heads(of: [Sample.user("anna")], in: session).heads.values.map(\.self)
        return Batch.Outcome(decided: [], written: WriteBack.Written(grown: [], heads: heads, folded: [:]))
    }

    /// Expects that an attempt writes so often in two runs, if its outcome has the head of a ledger that somebody
    /// wrote.
    private static func expect(writes expected: Int, isInDoubt: Bool) async throws {
        try await TestStore.open { store in
            try await store.attach(Sample.pass("1"), to: Sample.user("anna"))
            let writes = try await store.pool.with { (session) throws(DatabaseError) in
                let outcome = try outcome(in: session)
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

    @Test func `a COMMIT that was not answered is looked for in every later run, of another unit too`() async throws {
        try await TestStore.open { store in
            try await store.attach(Sample.pass("1"), to: Sample.user("anna"))
            let writes = try await store.pool.with { (session) throws(DatabaseError) in
                let unanswered = try Self.outcome(in: session)
                let attempt = Attempt()
                var writes = 0
                func run(isInDoubt: Bool, _ outcome: Batch.Outcome) throws(DatabaseError) {
                    session.isInDoubt = isInDoubt
                    defer { session.isInDoubt = false }
                    _ = try attempt.repeated(in: session) { () throws(DatabaseError) in
                        writes += 1
                        return .written(outcome)
                    }
                }
                try run(isInDoubt: false, unanswered)
                let isRefused = DatabaseError(.givenUp, statement: "commit")
                do throws(DatabaseError) {
                    try session.transaction { (session) throws(DatabaseError) in
                        // The cluster has not committed the first run yet.
                        try session.execute(Self.removeEntries)
                        let other = WriteBack.Written(grown: [], heads: [], folded: [:])
                        try run(isInDoubt: true, Batch.Outcome(decided: [], written: other))
                        throw isRefused
                    }
                } catch {
                    guard error == isRefused else { throw error }
                }
                try run(isInDoubt: false, unanswered)
                return writes
            }
            #expect(writes == 2)
        }
    }
}

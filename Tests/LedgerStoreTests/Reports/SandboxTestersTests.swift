import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// Who is on the list of sandbox testers now, by the newest that was recorded of each.
@Suite(.serialized) struct SandboxTestersTests {
    private static func testers(limit: Int, _ store: TestStore) async throws -> [SandboxTester] {
        let reader = TestOperators(store).reader
        var (before, testers): (UInt64?, [SandboxTester]) = (nil, [])
        repeat {
            let page = try await reader.sandboxTesters(before: before, limit: limit)
            #expect(page.rows.count <= limit)
            testers += page.rows
            before = page.next
        } while before != nil
        return testers
    }

    private static func name(_ user: String, _ isTester: Bool, _ store: TestStore) async throws {
        let user = Sample.user(user)
        let act = AuditedAct(by: .commandLine, isTester ? .nameSandboxTester : .unnameSandboxTester, to: user)
        _ = try await store.ledger.record(for: [user], audit: act) { history, _ in
            OperatorAct(on: user, note: Sample.note).nameSandboxTester(isTester, given: history)
        }.answer.get()
    }

    @Test func `whoever was named last is on the list, since they were named`() async throws {
        try await TestStore.open { store in
            let start = store.clock.now
            for (hour, (user, isTester)) in [
                ("anna", true), ("ben", true), ("carl", false), ("ben", false), ("dora", true), ("anna", false),
                ("anna", true), ("anna", true), ("emil", true),
            ].enumerated() {
                store.clock.now = start + Int64(hour) * Instant.millisecondsPerHour
                try await Self.name(user, isTester, store)
            }
            try await store.attach(Sample.pass("1"), to: Sample.user("anna"))
            for limit in [1, 2, 3, 100] {
                let testers = try await Self.testers(limit: limit, store)
                #expect(testers.map(\.user.text) == ["emil", "dora", "anna"])
                #expect(testers.map { ($0.namedAt - start) / Instant.millisecondsPerHour } == [8, 4, 6])
            }
        }
    }

    @Test func `nobody is lost behind many who were taken off, and none of the erased is told`() async throws {
        try await TestStore.open { store in
            try await Self.name("anna", true, store)
            try await Self.name("ben", true, store)
            let many = 2 * OperatorReader.rowsGoneOver
            try await store.schema.rows(
                "INSERT INTO users (user_id, created_at) SELECT CONCAT('filler', seq), 0 FROM seq_1_to_\(many)")
            try await store.schema.rows(
                """
                INSERT INTO ledger_entries (user_id, seq, recorded_at, effective_at, kind, is_own_act, hash, content)
                SELECT pseudonym, 1, 1, 1, 'sandbox_tester', 0, '', '["false"]' FROM users WHERE user_id LIKE 'filler%'
                """)
            try await store.schema.rows(
                """
                INSERT INTO audit_entries (id, at, actor, action, subject, details_digest, previous_hash, hash)
                SELECT 1000 + pseudonym, 1, 'x', 'sandbox_tester.name', pseudonym, '', '', ''
                FROM users WHERE user_id LIKE 'filler%'
                """)
            #expect(try await TestOperators(store).reader.sandboxTesters(before: nil, limit: 100).rows.isEmpty)
            #expect(try await Self.testers(limit: 100, store).map(\.user.text) == ["ben", "anna"])
            _ = try await TestOperators(store).erasure(at: store.clock.now).erase(
                Sample.user("ben"), by: .commandLine, reason: "asked")
            #expect(try await Self.testers(limit: 1, store).map(\.user.text) == ["anna"])
        }
    }
}

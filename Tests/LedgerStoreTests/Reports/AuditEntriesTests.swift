import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// The trail is read by person, actor, act and time, in the order of its ids, and each page reads a few rows.
@Suite(.serialized) struct AuditEntriesTests {
    /// The ids of all entries that pass, from pages of a few.
    private static func ids(_ filter: AuditFilter, _ reader: OperatorReader, limit: Int = 2) async throws -> [UInt64] {
        var ids: [UInt64] = []
        var place: UInt64?
        repeat {
            let page = try await reader.auditEntries(filter, before: place, limit: limit)
            #expect(page.rows.count <= limit)
            ids += page.rows.map(\.id)
            place = page.next
        } while place != nil
        return ids
    }

    @Test func `each filter, and all of them together, find what they say and nothing else`() async throws {
        try await TestStore.open { store in
            let operators = TestOperators(store)
            let key = try await operators.create([.write], name: "till 3").key
            let (anna, ben) = (Sample.user("anna"), Sample.user("ben"))
            try await store.attach(Sample.pass("1"), to: anna)
            try await store.attach(Sample.pass("2"), to: ben)
            let number = UInt64(try await store.schema.number("SELECT pseudonym FROM users WHERE user_id = 'ben'"))
            func act(_ actor: Actor, _ action: AuditAction, to subject: UserID, with other: UserID?) async throws {
                _ = try await store.ledger.record(
                    for: Set([subject, other].compactMap(\.self)),
                    audit: AuditedAct(by: actor, action, to: subject, with: other)
                ) {
                    OperatorAct(on: subject, note: Sample.note).nameSandboxTester(
                        action == .nameSandboxTester, given: $0)
                }
            }
            let start = store.clock.now
            try await act(.commandLine, .nameSandboxTester, to: anna, with: ben)  // 2
            store.clock.now = start + 1_000
            try await act(Actor(key), .nameSandboxTester, to: ben, with: nil)  // 3
            try await act(Actor(key), .unnameSandboxTester, to: anna, with: nil)  // 4
            store.clock.now = start + 2_000
            try await act(Actor(key), .unnameSandboxTester, to: ben, with: anna)  // 5
            let (name, unname) = ("sandbox_tester.name", "sandbox_tester.unname")
            let till = "api_key:\(key.id)"
            for (filter, expected) in [
                (AuditFilter(), [5, 4, 3, 2, 1]), (AuditFilter(user: anna), [5, 4, 2]),
                (AuditFilter(user: ben), [5, 3, 2]), (AuditFilter(user: .erased(pseudonym: number)), [5, 3, 2]),
                (AuditFilter(user: Sample.user("nobody")), []), (AuditFilter(user: .erased(pseudonym: 99)), []),
                (AuditFilter(actor: "command_line"), [2, 1]), (AuditFilter(actor: till), [5, 4, 3]),
                (AuditFilter(actor: till + " till 3"), [5, 4, 3]), (AuditFilter(actor: till + " till"), []),
                (AuditFilter(actor: "api_key:"), []), (AuditFilter(actor: "api_key:99"), []),
                (AuditFilter(actor: "Command_line"), []),
                (AuditFilter(action: name), [3, 2]), (AuditFilter(action: "sandbox_tester"), []),
                (AuditFilter(actor: till, action: unname), [5, 4]), (AuditFilter(user: ben, action: name), [3, 2]),
                (AuditFilter(user: ben, actor: till, action: name), [3]),
                (AuditFilter(user: ben, actor: "nobody"), []),
                (AuditFilter(since: start), [5, 4, 3, 2]), (AuditFilter(since: start + 1), [5, 4, 3]),
                (AuditFilter(since: start + 2_001), []), (AuditFilter(until: start), [1]),
                (AuditFilter(since: start + 1_000, until: start + 2_000), [4, 3]),
                (AuditFilter(user: anna, since: start + 1_000, until: start + 2_000), [4]),
                (AuditFilter(action: unname, until: start + 2_000), [4]),
                (AuditFilter(until: start + -1_000_000), []),
            ] as [(AuditFilter, [UInt64])] {
                if filter.since == start || filter.until == start {
                    try await store.schema.rows("UPDATE audit_entries SET at = at - 5 WHERE id = 1")
                }
                #expect(try await Self.ids(filter, operators.reader) == expected, "\(filter)")
                #expect(try await Self.ids(filter, operators.reader, limit: 100) == expected, "\(filter)")
            }
        }
    }

    @Test func `a page of the trail reads a few rows, whatever the filters, however rare and old what they find`()
        async throws
    {
        let server = try await PrivateMariaDB.start()
        defer { server.kill() }
        try await TestStore.open(server: server) { store in
            // What is rare is old. It is 2% of the first tenth.
            try await store.schema.rows(
                """
                INSERT INTO audit_entries
                SELECT seq, seq * 10, IF(rare, 'rare', 'actor'), IF(rare, 'rare', 'act'), IF(rare, 1, 2),
                    IF(seq % 2, NULL, 1), REPEAT('a', 32), REPEAT('a', 32), REPEAT('a', 32)
                FROM (SELECT seq, seq <= 2000 AND seq % 50 = 0 AS rare FROM seq_1_to_20000) s
                """)
            try await store.schema.rows("INSERT INTO users (user_id, created_at) VALUES ('anna', 0), ('ben', 0)")
            try await store.schema.rows("ANALYZE TABLE audit_entries")
            let reader = TestOperators(store).reader
            let users = [nil, Sample.user("anna"), Sample.user("ben")]
            let ends: [(Int64?, Int64?)] = [(nil, nil), (15_000, nil), (nil, 15_000), (199_000, nil), (900, 15_000)]
            for (actor, action) in [nil, "rare", "actor"].flatMap({ actor in
                [nil, "rare", "act"].map { (actor, $0) }
            }) {
                for (user, (start, end)) in users.flatMap({ user in ends.map { (user, $0) } }) {
                    let filter = AuditFilter(
                        user: user, actor: actor, action: action, since: start.map { Instant(milliseconds: $0) },
                        until: end.map { Instant(milliseconds: $0) })
                    let before = try await OperatorReaderTests.reads(in: store.schema)
                    let page = try await reader.auditEntries(filter, before: 19_000, limit: 20)
                    let reads = try await OperatorReaderTests.reads(in: store.schema) - before
                    let isSifted = [user != nil, actor != nil, action != nil].count { $0 } > 1
                    #expect(reads < (isSifted ? 12 * OperatorReader.rowsGoneOver : 1_500), "\(filter): \(reads)")
                    #expect(page.rows.allSatisfy { $0.id < 19_000 } && page.rows.count <= 20, "\(filter)")
                }
            }
            let rare = AuditFilter(user: Sample.user("ben"), action: "rare")
            #expect(try await Self.ids(rare, reader).isEmpty, "over several pages that are empty")
            let old = AuditFilter(user: Sample.user("anna"), actor: "rare", action: "rare")
            #expect(try await Self.ids(old, reader, limit: 100).count == 40)
        }
    }
}

import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// Purchases that had ended when they became their owners' are found, the last recorded first.
@Suite(.serialized) struct LatePassesTests {
    private static func late(limit: Int, _ store: TestStore) async throws -> [String] {
        let reader = TestOperators(store).reader
        var (before, ids): (UInt64?, [String]) = (nil, [])
        repeat {
            let page = try await reader.latePassCandidates(before: before, limit: limit)
            #expect(page.rows.count <= limit)
            ids += page.rows.map(\.key.externalID.text)
            before = page.next
        } while before != nil
        return ids
    }

    @Test func `they are found in pages, and no other`() async throws {
        try await TestStore.open { store in
            for (number, day) in [0, 20, -40, 10, 11].enumerated() {
                try await store.attach(Sample.pass("\(number)", day: day), to: Sample.user(number))
            }
            for limit in [1, 2, 100] { #expect(try await Self.late(limit: limit, store) == ["3", "2", "0"]) }
            #expect(
                try await TestOperators(store).reader.latePassCandidates(before: nil, limit: 9).rows.first?.owner
                    == Sample.user(3))
        }
    }

    @Test func `none is lost behind many that are in order, and none of the erased is told`() async throws {
        try await TestStore.open { store in
            try await store.attach(Sample.pass("old", day: -40), to: Sample.user("anna"))
            try await store.schema.rows(
                """
                INSERT INTO purchases (source, app, environment, external_id, recorded_at)
                SELECT 'apple_iap', 'a', 'Production', seq, 0 FROM seq_1_to_\(2 * OperatorReader.rowsGoneOver)
                """)
            #expect(try await Self.late(limit: 10, store) == ["old"])
            try await store.schema.rows("UPDATE users SET user_id = NULL")
            #expect(try await Self.late(limit: 10, store) == [])
        }
    }
}

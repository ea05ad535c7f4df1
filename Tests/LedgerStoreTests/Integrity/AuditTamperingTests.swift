import Entitlements
import LedgerStore
import Support
import Testing

/// Tampering by chance, each time with a head that was exported before: every bit of it is found (`threats.md` T32).
@Suite struct AuditTamperingTests {
    private static let length = 20

    /// One way to change the trail at entry `id`, which is neither the first nor the last.
    private enum Tampering: CaseIterable {
        case edit
        case delete
        case insert
        case swap
        case truncate
        case truncateWithHead

        func statements(at id: Int) -> [String] {
            let copy =
                "at, actor, action, subject, other_subject, details_digest, previous_hash, hash FROM audit_entries"
            return switch self {
            case .edit: ["UPDATE audit_entries SET at = at + 1 WHERE id = \(id)"]
            case .delete: ["DELETE FROM audit_entries WHERE id = \(id)"]
            case .insert:
                [
                    "UPDATE audit_entries SET id = id + 1 WHERE id > \(id) ORDER BY id DESC",
                    "INSERT INTO audit_entries SELECT \(id + 1), \(copy) WHERE id = \(id)",
                    "UPDATE audit_heads SET length = length + 1",
                ]
            case .swap:
                [
                    "UPDATE audit_entries SET id = 0 WHERE id = \(id)",
                    "UPDATE audit_entries SET id = \(id) WHERE id = \(id + 1)",
                    "UPDATE audit_entries SET id = \(id + 1) WHERE id = 0",
                ]
            case .truncate: ["DELETE FROM audit_entries WHERE id > \(id)"]
            case .truncateWithHead:
                [
                    "DELETE FROM audit_entries WHERE id > \(id)",
                    """
                    UPDATE audit_heads h JOIN audit_entries e ON e.id = \(id)
                    SET h.length = e.id, h.hash = e.hash, h.last_at = e.at
                    """,
                ]
            }
        }
    }

    @Test func `nothing that is done to the trail goes unseen`() async throws {
        try await TestStore.open { store in
            let operators = TestOperators(store)
            for number in 0..<Self.length { try await operators.note("\(number)", at: store.clock.now) }
            let export = try await AuditTrail.head(from: store.pool).description
            for table in ["entries", "heads"] {
                try await store.schema.rows("CREATE TABLE kept_\(table) AS SELECT * FROM audit_\(table)")
            }
            var chance = SeededChance("tampering")
            for round in 0..<TestRun.rounds(50, soak: 1_000) {
                let tampering = try #require(Tampering.allCases.randomElement(using: &chance))
                let id = Int.random(in: 2..<Self.length, using: &chance)
                for statement in tampering.statements(at: id) { try await store.schema.rows(statement) }
                #expect(try await operators.defects(against: export) != [], "round \(round): \(tampering) at \(id)")
                for table in ["entries", "heads"] {
                    try await store.schema.rows("DELETE FROM audit_\(table)")
                    try await store.schema.rows("INSERT INTO audit_\(table) SELECT * FROM kept_\(table)")
                }
                #expect(try await operators.defects(against: export) == [], "round \(round): put back")
            }
        }
    }
}

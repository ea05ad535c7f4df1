package import Entitlements
import MariaDB

/// A user on the list of sandbox testers.
package struct SandboxTester: Hashable, Sendable {
    /// The user's pseudonym. A user who was first seen later has a larger one, if one node wrote both.
    package let id: UInt64
    package let user: UserID
    /// The instant since which the user is on the list.
    package let namedAt: Instant
}

extension OperatorReader {
    /// Reads the newest entry about the list, for each person who was ever put on it.
    private static let sandboxTesters = SQLStatement(
        "list sandbox testers",
        """
        SELECT l.user_id, u.user_id, l.effective_at
        FROM (
            SELECT DISTINCT subject FROM audit_entries FORCE INDEX (by_action)
            WHERE action = ? AND subject < ? AND subject >= ?) a
        STRAIGHT_JOIN users u ON u.pseudonym = a.subject
        STRAIGHT_JOIN ledger_entries l ON l.user_id = a.subject
            AND l.seq = (SELECT MAX(seq) FROM ledger_entries WHERE user_id = a.subject AND kind = ?)
        WHERE l.content = ? AND u.user_id IS NOT NULL
        ORDER BY l.user_id DESC LIMIT ?
        """)

    /// Up to `limit` sandbox testers with pseudonyms below `id`. Users who were first seen later come first. Throws
    /// when the database is away.
    package func sandboxTesters(
        before id: UInt64?, limit: Int
    ) async throws(ServiceFailure) -> ListPage<SandboxTester> {
        let fact = Fact.sandboxTester(true)
        return try await page(.sandboxTesters, before: id, limit: limit, number: \.id) {
            (id, floor, session) throws(DatabaseError) in
            try session.query(
                Self.sandboxTesters,
                [
                    .text(AuditAction.nameSandboxTester.text), .uint64(id), .uint64(floor),
                    .text(FactKind(of: fact).rawValue), .text(FactContent.of(fact).json), Value(limit),
                ]
            ) { (row) throws(DatabaseError) in
                guard let user = UserID(try row.text(1)) else { throw row.malformed(1) }
                return SandboxTester(
                    id: try row.uint64(0), user: user, namedAt: Instant(milliseconds: try row.int64(2)))
            }
        }
    }
}

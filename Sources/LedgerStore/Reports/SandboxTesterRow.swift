import Entitlements
import MariaDB

/// The newest entry about each person who was ever named a sandbox tester.
enum SandboxTesterRow {
    private static let page = SQLStatement(
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

    /// Up to `limit` who are on the list, from before `id` down to `floor`, the last user seen for the first time
    /// first.
    static func page(
        before id: UInt64, downTo floor: UInt64, limit: Int, in session: Session
    ) throws(DatabaseError) -> [SandboxTester] {
        let fact = Fact.sandboxTester(true)
        return try session.query(
            page,
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

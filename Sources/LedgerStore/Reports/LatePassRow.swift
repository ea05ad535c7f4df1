import Entitlements
import MariaDB

/// A purchase whose projected coverage ends before it was bound.
enum LatePassRow {
    private static let page = SQLStatement(
        "list late passes",
        """
        SELECT \(PurchaseRow.columns), p.id, u.user_id
        FROM purchases p FORCE INDEX (PRIMARY)
        STRAIGHT_JOIN subscriptions s ON s.purchase_id = p.id AND s.user_id = p.user_id
        STRAIGHT_JOIN users u ON u.pseudonym = p.user_id
        WHERE p.id < ? AND p.id >= ? AND s.expires_at <= p.bound_at AND u.user_id IS NOT NULL
        ORDER BY p.id DESC LIMIT ?
        """)

    /// Up to `limit` from before `id` down to `floor`, the last recorded first.
    static func page(
        before id: UInt64, downTo floor: UInt64, limit: Int, in session: Session
    ) throws(DatabaseError) -> [LatePassCandidate] {
        var members: [LatePassCandidate] = []
        for row in try session.query(page, [.uint64(id), .uint64(floor), Value(limit)]) {
            guard let key = try PurchaseRow.key(row, from: 0),
                let owner = try row.optionalText(5).flatMap({ UserID($0) })
            else { continue }
            members.append(LatePassCandidate(id: try row.uint64(4), key: key, owner: owner))
        }
        return members
    }
}

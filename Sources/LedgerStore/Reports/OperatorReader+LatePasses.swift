package import Entitlements
import MariaDB

/// A purchase that may be a late pass: its coverage had ended when its owner got it.
package struct LatePassCandidate: Hashable, Sendable {
    /// The id of the purchase's row. A purchase that was recorded later has a larger one, if one node wrote both.
    package let id: UInt64
    package let key: PurchaseKey
    package let owner: UserID
}

extension OperatorReader {
    private static let latePasses = SQLStatement(
        "list late passes",
        """
        SELECT \(PurchaseRow.columns), p.id, u.user_id
        FROM purchases p FORCE INDEX (PRIMARY)
        STRAIGHT_JOIN subscriptions s ON s.purchase_id = p.id AND s.user_id = p.user_id
        STRAIGHT_JOIN users u ON u.pseudonym = p.user_id
        WHERE p.id < ? AND p.id >= ? AND s.expires_at <= p.bound_at AND u.user_id IS NOT NULL
        ORDER BY p.id DESC LIMIT ?
        """)

    /// Up to `limit` purchases with ids below `id` whose coverage had ended when their owners got them. Throws when the
    /// database is away.
    package func latePassCandidates(
        before id: UInt64?, limit: Int
    ) async throws(ServiceFailure) -> ListPage<LatePassCandidate> {
        try await page(.purchases, before: id, limit: limit, number: \.id) {
            (id, floor, session) throws(DatabaseError) in
            try session.query(Self.latePasses, [.uint64(id), .uint64(floor), Value(limit)]) {
                (row) throws(DatabaseError) in
                guard let key = try PurchaseRow.key(row, from: 0) else { throw row.malformed(0) }
                guard let owner = UserID(try row.text(5)) else { throw row.malformed(5) }
                return LatePassCandidate(id: try row.uint64(4), key: key, owner: owner)
            }
        }
    }
}

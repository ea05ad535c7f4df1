import Entitlements
import MariaDB

/// A row of `subscriptions`, read to find the users who had coverage in a span of time.
struct CoveredRow {
    let place: CoveredUsers.Place
    /// Nil for one that begins too late, one of several of the same user but the last, and of people who are erased.
    let member: CoveredUsers.Member?

    private static let page = SQLStatement(
        "list covered",
        """
        SELECT s.expires_at, s.purchase_id, s.user_id, u.user_id, s.starts_at < ? AND NOT EXISTS (
            SELECT 1 FROM subscriptions o WHERE o.user_id = s.user_id AND o.starts_at < ?
                AND (o.expires_at > s.expires_at OR o.expires_at = s.expires_at AND o.purchase_id > s.purchase_id))
        FROM (
            SELECT expires_at, purchase_id, user_id, starts_at FROM subscriptions FORCE INDEX (by_expiry)
            WHERE expires_at >= ? AND (expires_at > ? OR purchase_id > ? OR purchase_id = ? AND user_id > ?)
            ORDER BY expires_at, purchase_id, user_id LIMIT ?) s
        LEFT JOIN users u ON u.pseudonym = s.user_id
        ORDER BY s.expires_at, s.purchase_id, s.user_id
        """)

    /// Up to `limit` rows from `place` on, of coverage that begins before `endsAt`.
    static func page(
        after place: CoveredUsers.Place, before endsAt: Instant, limit: Int, in session: Session
    ) throws(DatabaseError) -> [CoveredRow] {
        let (end, expiry) = (Value.int64(endsAt.milliseconds), Value.int64(place.expiresAt.milliseconds))
        let purchase = Value.uint64(place.purchase)
        return try session.query(
            page, [end, end, expiry, expiry, purchase, purchase, .uint64(place.pseudonym), Value(limit)]
        ) { (row) throws(DatabaseError) in
            let pseudonym = try row.uint64(2)
            let user = try row.int(4) == 1 ? row.optionalText(3).flatMap { UserID($0) } : nil
            return CoveredRow(
                place: CoveredUsers.Place(
                    expiresAt: Instant(milliseconds: try row.int64(0)), purchase: try row.uint64(1),
                    pseudonym: pseudonym),
                member: user.map { CoveredUsers.Member(user: $0, pseudonym: pseudonym) })
        }
    }
}

package import Entitlements
import MariaDB

/// A user who had coverage in a stretch of time.
package struct CoveredUser: Hashable, Sendable {
    package let user: UserID
    package let pseudonym: UInt64
}

/// A cursor in the list of coverage, which is ordered by the end of the coverage.
package struct CoveragePlace: Hashable, Sendable {
    package let expiresAt: Instant
    package let purchase: UInt64
    package let pseudonym: UInt64

    package init(expiresAt: Instant, purchase: UInt64, pseudonym: UInt64) {
        self.expiresAt = expiresAt
        self.purchase = purchase
        self.pseudonym = pseudonym
    }

    /// The cursor before all coverage that ends after `instant`.
    package init(after instant: Instant) {
        self.init(expiresAt: instant, purchase: .max, pseudonym: .max)
    }
}

extension OperatorReader {
    /// Reads rows of `subscriptions` in the order of their ends. The last column is false for a row that begins too
    /// late, and for every row of a user except the last.
    private static let covered = SQLStatement(
        "list covered",
        """
        SELECT s.expires_at, s.purchase_id, s.user_id, u.user_id, s.starts_at < ? AND NOT EXISTS (
            SELECT 1 FROM subscriptions o WHERE o.user_id = s.user_id AND o.starts_at < ?
                AND (o.expires_at > s.expires_at OR o.expires_at = s.expires_at AND o.purchase_id > s.purchase_id))
        FROM (
            SELECT expires_at, purchase_id, user_id, starts_at FROM subscriptions FORCE INDEX (by_expiry)
            WHERE expires_at >= ? AND (expires_at > ? OR user_id > ? OR user_id = ? AND purchase_id > ?)
            ORDER BY expires_at, user_id, purchase_id LIMIT ?) s
        LEFT JOIN users u ON u.pseudonym = s.user_id
        ORDER BY s.expires_at, s.user_id, s.purchase_id
        """)

    /// Up to `limit` users with coverage that ends after `place` and begins before `endsAt`, each once, and the cursor
    /// for the next call.
    ///
    /// A call reads a bounded number of rows, so more users may follow although it found none. `next` is nil once all
    /// rows were read. Throws when the database is away.
    package func covered(
        after place: CoveragePlace, before endsAt: Instant, limit: Int
    ) async throws(ServiceFailure) -> (users: [CoveredUser], next: CoveragePlace?) {
        let (end, expiry) = (Value.int64(endsAt.milliseconds), Value.int64(place.expiresAt.milliseconds))
        let user = Value.uint64(place.pseudonym)
        let rows = try await pool.ask { (session) throws(DatabaseError) in
            try session.query(
                Self.covered,
                [end, end, expiry, expiry, user, user, .uint64(place.purchase), Value(Self.rowsGoneOver)]
            ) { (row) throws(DatabaseError) in
                let place = CoveragePlace(
                    expiresAt: Instant(milliseconds: try row.int64(0)), purchase: try row.uint64(1),
                    pseudonym: try row.uint64(2))
                let user = try row.int(4) == 1 ? row.optionalText(3).flatMap { UserID($0) } : nil
                return (place: place, user: user.map { CoveredUser(user: $0, pseudonym: place.pseudonym) })
            }
        }
        var users: [CoveredUser] = []
        for row in rows {
            if let user = row.user { users.append(user) }
            if users.count == limit { return (users, row.place) }
        }
        return (users, rows.count == Self.rowsGoneOver ? rows.last?.place : nil)
    }
}

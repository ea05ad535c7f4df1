import Entitlements
import MariaDB

/// A row of `subscriptions`, the projection: what one purchase gives to one of its holders.
struct SubscriptionRow {
    let purchase: UInt64
    let user: UInt64
    let subscription: Subscription

    private static let upsert = SQLStatement(
        "project",
        """
        INSERT INTO subscriptions
            (purchase_id, user_id, source, external_id, environment, product_id, tier, starts_at, expires_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON DUPLICATE KEY UPDATE product_id = VALUES(product_id), tier = VALUES(tier),
            starts_at = VALUES(starts_at), expires_at = VALUES(expires_at)
        """)

    private static let delete = SQLStatement(
        "end projection", "DELETE FROM subscriptions WHERE purchase_id = ? AND user_id = ?")

    private static let clear = SQLStatement(
        "clear projection",
        """
        DELETE s FROM JSON_TABLE(?, '$[*]' COLUMNS (pseudonym BIGINT UNSIGNED PATH '$')) j
        STRAIGHT_JOIN subscriptions s ON s.user_id = j.pseudonym
        """)

    /// Removes all rows of the people under `pseudonyms`. Throws when the database refuses the statement or is away.
    static func removeAll(of pseudonyms: [UInt64], in session: Session) throws(DatabaseError) {
        var array = JSONArray()
        pseudonyms.forEach { array.append($0) }
        try session.execute(clear, [.text(array.closed)])
    }

    /// Removes rows, which the caller has sorted by purchase and user.
    static func remove(_ rows: [(purchase: UInt64, user: UInt64)], in session: Session) throws(DatabaseError) {
        try session.executeBulk(delete, rows.map { [.uint64($0.purchase), .uint64($0.user)] })
    }

    /// Writes rows, which the caller has sorted by purchase and user.
    static func write(_ rows: [SubscriptionRow], in session: Session) throws(DatabaseError) {
        try session.executeBulk(
            upsert,
            rows.map { row in
                let subscription = row.subscription
                return [
                    .uint64(row.purchase), .uint64(row.user), .text(subscription.key.source.text),
                    .text(subscription.key.externalID.text), .text(subscription.key.environment.rawValue),
                    Value(subscription.productID?.text), .text(subscription.tier.text),
                    .int64(subscription.startsAt.milliseconds), .int64(subscription.expiresAt.milliseconds),
                ]
            })
    }
}

import Entitlements
import MariaDB

/// A row of `subscriptions`: what one purchase gives to one of its holders.
struct SubscriptionRow: Hashable {
    let user: UInt64
    let purchase: UInt64
    let source: Source
    let externalID: ExternalID
    let environment: String
    let productID: ProductID?
    let tier: TierID
    let startsAt: Instant
    let expiresAt: Instant
    let anomaly: Anomaly?

    init(user: UInt64, purchase: UInt64, _ subscription: Subscription) {
        self.user = user
        self.purchase = purchase
        source = subscription.key.source
        externalID = subscription.key.externalID
        environment = subscription.key.environment.rawValue
        productID = subscription.productID
        tier = subscription.tier
        startsAt = subscription.startsAt
        expiresAt = subscription.expiresAt
        anomaly = subscription.anomaly
    }

    private static let columns =
        "user_id, purchase_id, source, external_id, environment, product_id, tier, starts_at, expires_at, anomaly"

    private static let upsert = SQLStatement(
        "project",
        """
        INSERT INTO subscriptions (\(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON DUPLICATE KEY UPDATE product_id = VALUES(product_id), tier = VALUES(tier),
            starts_at = VALUES(starts_at), expires_at = VALUES(expires_at), anomaly = VALUES(anomaly)
        """)

    private static let select = SQLStatement(
        "read projection",
        "SELECT \(columns) FROM \(JSONArray.ids) STRAIGHT_JOIN subscriptions ON user_id = j.id")

    private static let delete = SQLStatement(
        "end projection", "DELETE FROM subscriptions WHERE user_id = ? AND purchase_id = ?")

    private static let clear = SQLStatement(
        "clear projection", "DELETE s FROM \(JSONArray.ids) STRAIGHT_JOIN subscriptions s ON s.user_id = j.id")

    /// The rows of the people under `pseudonyms`. Throws when the database is away.
    static func load(of pseudonyms: [UInt64], in session: Session) throws(DatabaseError) -> [SubscriptionRow] {
        guard !pseudonyms.isEmpty else { return [] }
        return try session.query(select, [.text(JSONArray(pseudonyms).closed)], decode: SubscriptionRow.init)
    }

    private init(_ row: Row) throws(DatabaseError) {
        user = try row.uint64(0)
        purchase = try row.uint64(1)
        source = Source(try row.text(2))
        externalID = ExternalID(try row.text(3))
        environment = try row.text(4)
        productID = try row.optionalText(5).map { ProductID($0) }
        tier = TierID(try row.text(6))
        startsAt = Instant(milliseconds: try row.int64(7))
        expiresAt = Instant(milliseconds: try row.int64(8))
        anomaly = try row.optionalText(9).flatMap { Anomaly(rawValue: $0) }
    }

    /// Removes all rows of the people under `pseudonyms`. Throws when the database refuses the statement or is away.
    static func removeAll(of pseudonyms: [UInt64], in session: Session) throws(DatabaseError) {
        guard !pseudonyms.isEmpty else { return }
        try session.execute(clear, [.text(JSONArray(pseudonyms).closed)])
    }

    /// Removes rows, in the order of their key. Throws when the database refuses the statement or is away.
    static func remove(_ rows: [SubscriptionRow], in session: Session) throws(DatabaseError) {
        try session.executeEach(delete, rows.sorted(by: precedes).map { [.uint64($0.user), .uint64($0.purchase)] })
    }

    private static func precedes(_ left: SubscriptionRow, _ right: SubscriptionRow) -> Bool {
        (left.user, left.purchase) < (right.user, right.purchase)
    }

    /// Writes rows, in the order of their key. Throws when the database refuses the statement or is away.
    static func write(_ rows: [SubscriptionRow], in session: Session) throws(DatabaseError) {
        try session.executeBulk(
            upsert,
            rows.sorted(by: precedes).map { row in
                [
                    .uint64(row.user), .uint64(row.purchase), .text(row.source.text), .text(row.externalID.text),
                    .text(row.environment), Value(row.productID?.text), .text(row.tier.text),
                    .int64(row.startsAt.milliseconds), .int64(row.expiresAt.milliseconds),
                    Value(row.anomaly?.rawValue),
                ]
            })
    }
}

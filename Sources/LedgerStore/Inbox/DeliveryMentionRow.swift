import Entitlements
import MariaDB

/// A row of `delivery_mentions`.
enum DeliveryMentionRow {
    private static let insert = SQLStatement(
        "keep mention",
        """
        INSERT INTO delivery_mentions (mention, delivery_id, is_awaited) VALUES (?, ?, ?)
        ON DUPLICATE KEY UPDATE is_awaited = is_awaited OR VALUES(is_awaited)
        """)

    /// The mentions of a bound array, each as `j.mention`.
    static let bound = """
        JSON_TABLE(?, '$[*]' COLUMNS (
            mention VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin PATH '$')) j
        """

    private static let parked = SQLStatement(
        "find parked deliveries",
        """
        SELECT DISTINCT d.id
        FROM \(bound)
        STRAIGHT_JOIN delivery_mentions m ON m.mention = j.mention AND m.is_awaited
        STRAIGHT_JOIN inbox_deliveries d ON d.id = m.delivery_id
        STRAIGHT_JOIN inbox_deliveries o ON o.id = ? AND o.id <> d.id
            AND o.source = d.source AND o.app = d.app AND o.environment = d.environment
        WHERE d.state = 'parked'
        ORDER BY d.id
        """)

    /// A delivery that waits for the owner of a purchase may wait for its customer.
    private static let customers = SQLStatement(
        "find customers of purchases",
        """
        SELECT m.mention, p.user_id, d.id
        FROM \(JSONArray.ids)
        STRAIGHT_JOIN purchases p ON p.id = j.id
        STRAIGHT_JOIN inbox_deliveries d ON d.purchase = p.external_id AND d.source = p.source
            AND d.app = p.app AND d.environment = p.environment
        STRAIGHT_JOIN delivery_mentions m ON m.delivery_id = d.id AND m.is_awaited
        WHERE d.state = 'parked' AND d.reason IN ('no_user', 'invalid_user_id')
        ORDER BY d.id, m.mention
        """)

    /// The customers for whom deliveries about `purchases` wait, the owners' pseudonyms, and the deliveries. Throws
    /// when the database is away.
    static func customers(
        of purchases: [UInt64], in session: Session
    ) throws(DatabaseError) -> [(label: Label, owner: UInt64, delivery: UInt64)] {
        guard !purchases.isEmpty else { return [] }
        return try session.query(customers, [.text(JSONArray(purchases).closed)]) { (row) throws(DatabaseError) in
            (Label(try row.text(0)), try row.uint64(1), try row.uint64(2))
        }
    }

    /// Notes names and numbers that stand in a delivery, and whether it awaits them. Repeat is safe. Throws when the
    /// database is away.
    static func insert(
        _ mentions: [String], of delivery: UInt64, isAwaited: Bool = false, in session: Session
    ) throws(DatabaseError) {
        // In one order, so that two deliveries that mention the same do not wait for each other.
        let rows = Set(mentions).sorted().map { [Value.text($0), .uint64(delivery), Value(isAwaited)] }
        try session.executeBulk(insert, rows)
    }

    /// Has the parked deliveries that await one of `mentions` in the account of `delivery`, other than that one, tried
    /// at once. Throws when the database is away.
    static func wake(
        awaiting mentions: [String], besides delivery: UInt64, at now: Instant, in session: Session
    ) throws(DatabaseError) {
        guard !mentions.isEmpty else { return }
        let waiting = try session.query(parked, [.text(JSONArray(mentions).closed), .uint64(delivery)]) {
            (row) throws(DatabaseError) in try row.uint64(0)
        }
        for waiting in waiting { try JobRow.wake(.delivery, about: waiting, now: now, in: session) }
    }
}

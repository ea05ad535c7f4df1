import Entitlements
import MariaDB

/// A row of `delivery_mentions`: a name or number that stands in a delivery, and whether the delivery waits for it.
enum DeliveryMentionRow {
    private static let insert = SQLStatement(
        "keep mention",
        """
        INSERT INTO delivery_mentions (mention, delivery_id, is_awaited) VALUES (?, ?, ?)
        ON DUPLICATE KEY UPDATE is_awaited = is_awaited OR VALUES(is_awaited)
        """)

    /// Turns a bound JSON array of mentions into rows, each with the column `j.mention`.
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

    /// Finds the customers for whom parked deliveries wait, where the purchase of the delivery has an owner by now.
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

    /// The customers that parked deliveries about `purchases` wait for, each with the pseudonym of the purchase's owner
    /// and the id of the delivery. Throws when the database is away.
    static func customers(
        of purchases: [UInt64], in session: Session
    ) throws(DatabaseError) -> [(label: Label, owner: UInt64, delivery: UInt64)] {
        guard !purchases.isEmpty else { return [] }
        return try session.query(customers, [.text(JSONArray(purchases).closed)]) { (row) throws(DatabaseError) in
            (Label(try row.text(0)), try row.uint64(1), try row.uint64(2))
        }
    }

    /// Stores names and numbers that stand in a delivery. With `isAwaited` the delivery also waits for them. Repeat is
    /// safe. Throws when the database is away.
    static func insert(
        _ mentions: [String], of delivery: UInt64, isAwaited: Bool = false, in session: Session
    ) throws(DatabaseError) {
        // Sorted, so that two deliveries with the same mentions do not deadlock.
        let rows = Set(mentions).sorted().map { [Value.text($0), .uint64(delivery), Value(isAwaited)] }
        try session.executeBulk(insert, rows)
    }

    /// Makes the jobs of parked deliveries that wait for one of `mentions` due at once. Only deliveries of the same
    /// source, app and environment as `delivery` are woken, and not `delivery` itself. Throws when the database is
    /// away.
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

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
        WHERE d.state = 'parked' AND d.source = ? AND d.app = ? AND d.environment = ?
        ORDER BY d.id
        """)

    /// Notes names and numbers that stand in a delivery, and whether it awaits them. Repeat is safe. Throws when the
    /// database is away.
    static func insert(
        _ mentions: [String], of delivery: UInt64, isAwaited: Bool = false, in session: Session
    ) throws(DatabaseError) {
        // In one order, so that two deliveries that mention the same do not wait for each other.
        let rows = Set(mentions).sorted().map { [Value.text($0), .uint64(delivery), Value(isAwaited)] }
        try session.executeBulk(insert, rows)
    }

    /// Has the parked deliveries that await one of `mentions` tried at once. Throws when the database is away.
    static func wake(
        awaiting mentions: [String], in space: NumberSpace, at now: Instant, session: Session
    ) throws(DatabaseError) {
        guard !mentions.isEmpty else { return }
        let deliveries = try session.query(
            parked,
            [
                .text(JSONArray(mentions).closed), .text(space.source.text), .text(space.app.text),
                .text(space.environment.rawValue),
            ]
        ) { (row) throws(DatabaseError) in try row.uint64(0) }
        for delivery in deliveries {
            try JobRow.wake(.delivery, about: delivery, now: now, in: session)
        }
    }
}

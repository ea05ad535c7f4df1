import Entitlements
import MariaDB

/// A row of `signed_texts`: the compact JWS that proves a state, without the header that many texts share.
enum SignedTextRow {
    /// A text to insert, and the id of its state's row.
    struct New {
        let state: UInt64
        let text: SignedText
    }

    private static let insert = SQLStatement(
        "insert text",
        "INSERT INTO signed_texts (state_id, header_id, jws) VALUES (?, ?, ?)")

    private static let oldest = SQLStatement(
        "list oldest texts",
        """
        SELECT s.state_id, t.recorded_at
        FROM (SELECT state_id FROM signed_texts ORDER BY state_id LIMIT ?) s
        STRAIGHT_JOIN apple_iap_transactions t ON t.id = s.state_id
        ORDER BY s.state_id
        """)

    private static let delete = SQLStatement("delete text", "DELETE FROM signed_texts WHERE state_id = ?")

    /// Deletes the signed texts of purchases that deliveries are about and that nobody has. The App Store's
    /// notifications contain these texts.
    private static let unowned = """
        FROM \(JSONArray.ids)
        STRAIGHT_JOIN inbox_deliveries d ON d.id = j.id
        STRAIGHT_JOIN \(InboxDeliveryRow.purchaseOfDelivery)
        STRAIGHT_JOIN apple_iap_transactions t ON t.purchase_id = p.id
        STRAIGHT_JOIN signed_texts s ON s.state_id = t.id
        WHERE p.user_id IS NULL
        """

    private static let removeUnowned = SQLStatement("remove unowned texts", "DELETE s " + unowned)
    private static let countUnowned = SQLStatement(
        "count unowned texts", "SELECT COUNT(DISTINCT s.state_id) " + unowned)

    /// Removes the signed texts of purchases that `deliveries` are about and that nobody has. Repeat is safe. Throws
    /// when the database is away.
    static func removeUnowned(of deliveries: [UInt64], in session: Session) throws(DatabaseError) {
        guard !deliveries.isEmpty else { return }
        try session.execute(removeUnowned, [.text(JSONArray(deliveries).closed)])
    }

    /// The number of texts that ``removeUnowned(of:in:)`` would remove. Throws when the database is away.
    static func countUnowned(of deliveries: [UInt64], in session: Session) throws(DatabaseError) -> Int {
        guard !deliveries.isEmpty else { return 0 }
        return try session.query(countUnowned, [.text(JSONArray(deliveries).closed)]).first?.int(0) ?? 0
    }

    /// Removes texts of states that were recorded before `instant`, and returns how many. It looks at the `limit`
    /// oldest texts only. Throws when the database is away.
    static func removeOldest(
        _ limit: Int, before instant: Instant, in session: Session
    ) throws(DatabaseError) -> Int {
        var numbers: [UInt64] = []
        for row in try session.query(oldest, [Value(limit)]) where try row.int64(1) < instant.milliseconds {
            numbers.append(try row.uint64(0))
        }
        try session.executeEach(delete, numbers.map { [.uint64($0)] })
        return numbers.count
    }

    /// Inserts texts, each without its header if `headers` has the header's row. They are sent as bytes, because text
    /// would be converted to the column's character set, character by character. Throws when the database is away.
    static func insert(
        _ texts: [New], headers: [SignedText.Header: UInt64], in session: Session
    ) throws(DatabaseError) {
        try session.executeBulk(
            insert,
            texts.map { new in
                guard let row = headers[new.text.header] else {
                    return [.uint64(new.state), .null, .bytes(Array(new.text.text.utf8))]
                }
                return [.uint64(new.state), .uint64(row), .bytes(new.text.rest)]
            })
    }
}

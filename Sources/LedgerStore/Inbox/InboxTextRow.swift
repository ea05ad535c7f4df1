package import Entitlements
import MariaDB

/// The text of a delivery as it was received.
package enum InboxText: Sendable {
    /// A request body, such as a card event.
    case body([UInt8])
    /// A compact JWS, and its decoded payload, which is strict JSON.
    case jws(SignedText, payload: [UInt8])
}

/// A row of `inbox_texts`.
///
/// The payload of an App Store notification contains further texts with the same JWS header. Of about 19 KB, 15 KB are
/// repeated headers. So a JWS is stored decoded and without its header.
enum InboxTextRow {
    private static let insert = SQLStatement(
        "insert delivery's text",
        """
        INSERT INTO inbox_texts (delivery_id, header_id, content, signature) VALUES (?, ?, ?, ?)
        ON DUPLICATE KEY UPDATE delivery_id = delivery_id
        """)

    private static let read = SQLStatement(
        "read delivery's text",
        """
        SELECT d.source, d.environment, \(text), d.takeback, d.app, d.type
        FROM inbox_deliveries d LEFT JOIN (\(table)) ON t.delivery_id = d.id WHERE d.id = ?
        """)

    private static let remove = SQLStatement(
        "remove delivery's text", "DELETE FROM inbox_texts WHERE delivery_id = ?")

    /// Deletes the texts of deliveries that are not pending. The job of a pending delivery still needs its text.
    private static let tried = """
        FROM \(JSONArray.ids)
        STRAIGHT_JOIN inbox_deliveries d ON d.id = j.id
        STRAIGHT_JOIN inbox_texts t ON t.delivery_id = d.id
        WHERE COALESCE(d.reason, '') <> 'pending'
        """

    private static let removeTried = SQLStatement("remove tried delivery's text", "DELETE t " + tried)
    private static let countTried = SQLStatement("count tried deliveries' texts", "SELECT COUNT(*) " + tried)

    /// Sets the reason of a quarantined delivery without a takeback to `text_gone`, because nothing is left to try.
    private static let giveUp = SQLStatement(
        "give up delivery without text",
        """
        UPDATE inbox_deliveries SET reason = 'text_gone'
        WHERE id = ? AND state = 'quarantined' AND takeback IS NULL
        """)

    private static let oldest = SQLStatement(
        "list oldest texts of deliveries",
        """
        SELECT t.delivery_id, d.received_at
        FROM (SELECT delivery_id FROM inbox_texts ORDER BY delivery_id LIMIT ?) t
        STRAIGHT_JOIN inbox_deliveries d ON d.id = t.delivery_id
        ORDER BY t.delivery_id
        """)

    /// The byte that stands for the header in a stored payload. JSON never contains it unescaped.
    private static let mark: UInt8 = 1

    /// The rows of texts, joined with the headers that ``text`` needs.
    static let table = "inbox_texts t LEFT JOIN signed_headers h ON h.id = t.header_id"

    /// SQL that restores the text as it was received, from a row of ``table``.
    static let text = """
        CONVERT(IF(t.header_id IS NULL, t.content, CONCAT(h.header, '.', \(base64url(
            "REPLACE(t.content, CHAR(\(mark)), h.header)")), '.', t.signature)) USING utf8mb4)
        """

    private static func base64url(_ bytes: String) -> String {
        """
        REPLACE(REPLACE(REPLACE(TRIM(TRAILING '=' FROM TO_BASE64(\(bytes))), '\\n', ''), '+', '-'), '/', '_')
        """
    }

    /// Stores the text of a delivery; `header` is the id of the header's row. Repeat is safe. Throws when the database
    /// is away.
    static func insert(
        _ text: InboxText, of delivery: UInt64, header: UInt64?, in session: Session
    ) throws(DatabaseError) {
        let values: [Value] =
            switch (text, header) {
            case (.jws(let jws, let payload), let header?):
                [
                    .uint64(header), .bytes(payload.replacing(jws.beginning.utf8, with: [mark])),
                    .text(jws.signature),
                ]
            case (.jws(let jws, _), nil): [.null, .bytes(Array(jws.text.utf8)), .null]
            case (.body(let body), _): [.null, .bytes(body), .null]
            }
        try session.execute(insert, [.uint64(delivery)] + values)
    }

    /// The stored text and takeback of a delivery; nil if there is no such delivery. Throws when the database is away.
    static func read(of delivery: UInt64, in session: Session) throws(DatabaseError) -> DeliveryContent? {
        try session.query(read, [.uint64(delivery)]) { (row) throws(DatabaseError) in
            guard let environment = StoreEnvironment(rawValue: try row.text(1)) else { throw row.malformed(1) }
            return DeliveryContent(
                source: Source(try row.text(0)), app: AppID(try row.text(4)), environment: environment,
                type: try row.text(5), text: try row.optionalText(2), takeback: try row.optionalText(3))
        }.first
    }

    /// Removes the texts of those `deliveries` that are not pending; their takebacks stay. Repeat is safe. Throws when
    /// the database is away.
    static func removeTried(of deliveries: [UInt64], in session: Session) throws(DatabaseError) {
        guard !deliveries.isEmpty else { return }
        try session.execute(removeTried, [.text(JSONArray(deliveries).closed)])
        try session.executeEach(giveUp, deliveries.map { [.uint64($0)] })
    }

    /// The number of texts that ``removeTried(of:in:)`` would remove. Throws when the database is away.
    static func countTried(of deliveries: [UInt64], in session: Session) throws(DatabaseError) -> Int {
        guard !deliveries.isEmpty else { return 0 }
        return try session.query(countTried, [.text(JSONArray(deliveries).closed)]).first?.int(0) ?? 0
    }

    /// Removes texts of deliveries that were received before `instant`, whatever their outcome, and returns how many.
    /// It looks at the `limit` oldest texts only. Throws when the database is away.
    static func removeOldest(
        _ limit: Int, before instant: Instant, in session: Session
    ) throws(DatabaseError) -> Int {
        var deliveries: [[Value]] = []
        for row in try session.query(oldest, [Value(limit)]) where try row.int64(1) < instant.milliseconds {
            deliveries.append([.uint64(try row.uint64(0))])
        }
        for statement in [remove, giveUp] { try session.executeEach(statement, deliveries) }
        return deliveries.count
    }
}

package import Entitlements
import MariaDB

/// The text of a delivery as it came.
package enum InboxText: Sendable {
    /// A body, such as that of a card event.
    case body([UInt8])
    /// A compact JWS, and its payload, which is strict JSON.
    case jws(SignedText, payload: [UInt8])
}

/// A row of `inbox_texts`. A notification repeats its header in each text inside, and encodes that twice: of some
/// 19 KB, 15 KB are the header. So a JWS is kept without it and decoded.
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
        SELECT d.source, \(text) FROM \(table)
        JOIN inbox_deliveries d ON d.id = t.delivery_id WHERE t.delivery_id = ?
        """)

    /// Stands for the header in a payload, where JSON has no such character.
    private static let mark: UInt8 = 1

    /// The rows, and what ``text`` needs beside them.
    static let table = "inbox_texts t LEFT JOIN signed_headers h ON h.id = t.header_id"

    /// The text as it came, of ``table``.
    static let text = """
        CONVERT(IF(t.header_id IS NULL, t.content, CONCAT(h.header, '.', \(base64url(
            "REPLACE(t.content, CHAR(\(mark)), h.header)")), '.', t.signature)) USING utf8mb4)
        """

    private static func base64url(_ bytes: String) -> String {
        """
        REPLACE(REPLACE(REPLACE(TRIM(TRAILING '=' FROM TO_BASE64(\(bytes))), '\\n', ''), '+', '-'), '/', '_')
        """
    }

    /// Keeps the text of a delivery; `header` is the row of its header. Repeat is safe. Throws when the database is
    /// away.
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

    /// The text of a delivery; nil when it was erased. Throws when the database is away.
    static func read(of delivery: UInt64, in session: Session) throws(DatabaseError) -> DeliveryText? {
        try session.query(read, [.uint64(delivery)]) { (row) throws(DatabaseError) in
            DeliveryText(source: Source(try row.text(0)), text: try row.text(1))
        }.first
    }
}

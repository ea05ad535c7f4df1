import Entitlements
import MariaDB

/// A row of `purchase_numbers`: a store's number and its meaning, which is another number or a transaction of a
/// purchase.
enum PurchaseNumberRow {
    private static let insert = SQLStatement(
        "keep number",
        """
        INSERT INTO purchase_numbers (source, app, environment, number, target, transaction_id, recorded_at)
        SELECT d.source, d.app, d.environment, ?, ?, ?, ? FROM inbox_deliveries d WHERE d.id = ?
        ON DUPLICATE KEY UPDATE number = VALUES(number)
        """)

    private static let byNumber = SQLStatement(
        "read numbers",
        """
        SELECT n.number, n.target, n.transaction_id
        FROM JSON_TABLE(?, '$[*]' COLUMNS (
            number VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin PATH '$')) j
        STRAIGHT_JOIN purchase_numbers n ON n.number = j.number AND n.source = ? AND n.app = ? AND n.environment = ?
        """)

    /// Stores the meanings of numbers, and returns the numbers whose meaning was new. Repeat is safe. Throws when the
    /// database is away.
    static func insert(
        _ numbers: [PurchaseNumber], toldBy delivery: UInt64, at now: Instant, in session: Session
    ) throws(DatabaseError) -> [String] {
        var learned: [String] = []
        for number in numbers {
            let rows = try session.execute(
                insert,
                [
                    .text(number.number), .text(number.target), .text(number.transaction?.text ?? ""),
                    .int64(now.milliseconds), .uint64(delivery),
                ])
            if rows > 0 { learned.append(number.number) }
        }
        return learned
    }

    /// The known meanings of `numbers`. Throws when the database is away.
    static func read(
        _ numbers: Set<String>, in space: NumberSpace, session: Session
    ) throws(DatabaseError) -> [PurchaseNumber] {
        var array = JSONArray()
        for number in numbers.sorted() { array.append(number) }
        return try session.query(
            byNumber,
            [
                .text(array.closed), .text(space.source.text), .text(space.app.text),
                .text(space.environment.rawValue),
            ]
        ) { (row) throws(DatabaseError) in
            let (number, target, transaction) = (try row.text(0), try row.text(1), try row.text(2))
            return transaction.isEmpty
                ? PurchaseNumber(number, meaning: target)
                : PurchaseNumber(number, meaning: TransactionID(transaction), of: ExternalID(target))
        }
    }
}

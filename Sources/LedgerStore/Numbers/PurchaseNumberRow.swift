import Entitlements
import MariaDB

/// A row of `purchase_numbers`.
enum PurchaseNumberRow {
    private static let insert = SQLStatement(
        "keep number",
        """
        INSERT INTO purchase_numbers (source, app, environment, number, target, transaction_id, recorded_at)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        ON DUPLICATE KEY UPDATE number = number
        """)

    /// Waits for whoever is writing one of them.
    private static let byNumber = SQLStatement(
        "read numbers",
        """
        SELECT n.number, n.target, n.transaction_id
        FROM JSON_TABLE(?, '$[*]' COLUMNS (
            number VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin PATH '$')) j
        STRAIGHT_JOIN purchase_numbers n ON n.number = j.number AND n.source = ? AND n.app = ? AND n.environment = ?
        LOCK IN SHARE MODE
        """)

    private static let purchases = SQLStatement(
        "read numbered purchases",
        """
        SELECT j.n, p.id, u.pseudonym, u.user_id
        FROM JSON_TABLE(?, '$[*]' COLUMNS (\(PurchaseRow.keyColumns))) j
        STRAIGHT_JOIN purchases p ON p.source = j.source AND p.app = j.app AND p.environment = j.environment
            AND p.external_id = j.external_id
        LEFT JOIN users u ON u.pseudonym = p.user_id
        LOCK IN SHARE MODE
        """)

    /// Keeps what numbers mean, and returns those of which this was not known. Repeat is safe. Throws when the database
    /// is away.
    static func insert(
        _ numbers: [PurchaseNumber], in space: NumberSpace, at now: Instant, session: Session
    ) throws(DatabaseError) -> [String] {
        var learned: [String] = []
        for number in numbers {
            let rows = try session.execute(
                insert,
                [
                    .text(space.source.text), .text(space.app.text), .text(space.environment.rawValue),
                    .text(number.number), .text(number.target), .text(number.transaction?.text ?? ""),
                    .int64(now.milliseconds),
                ])
            if rows > 0 { learned.append(number.number) }
        }
        return learned
    }

    /// What is known of `numbers`. Throws when the database is away.
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

    /// The rows of those of `keys` that are there, and who has them. Throws when the database is away.
    static func purchases(
        _ keys: [PurchaseKey], in session: Session
    ) throws(DatabaseError) -> [PurchaseKey: (row: UInt64, owner: UserID?)] {
        guard !keys.isEmpty else { return [:] }
        var found: [PurchaseKey: (row: UInt64, owner: UserID?)] = [:]
        for row in try session.query(purchases, [.text(PurchaseRow.array(of: keys))]) {
            let owner = try row.isNull(2) ? nil : UserRow.user(row, at: 3, pseudonym: 2)
            found[keys[try row.int(0) - 1]] = (try row.uint64(1), owner)
        }
        return found
    }
}

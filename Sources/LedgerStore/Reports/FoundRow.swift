import Entitlements
import MariaDB

/// Look-ups of operators, each by an index.
enum FoundRow {
    private static let keyColumns = PurchaseRow.columns

    private static let purchasesByExternalID = SQLStatement(
        "find purchases",
        """
        SELECT \(keyColumns), u.user_id
        FROM purchases p LEFT JOIN users u ON u.pseudonym = p.user_id
        WHERE p.external_id = ? ORDER BY p.id LIMIT ?
        """)

    private static let transactionsByID = SQLStatement(
        "find transactions",
        """
        SELECT \(keyColumns), u.user_id
        FROM (SELECT DISTINCT purchase_id FROM apple_iap_transactions WHERE transaction_id = ? LIMIT ?) t
        STRAIGHT_JOIN purchases p ON p.id = t.purchase_id
        LEFT JOIN users u ON u.pseudonym = p.user_id
        ORDER BY p.id
        """)

    private static let pageOfStates = SQLStatement(
        "list transactions",
        """
        SELECT t.id, t.recorded_at, u.user_id, t.unreadable, t.statement
        FROM (SELECT id FROM apple_iap_transactions WHERE id < ? ORDER BY id DESC LIMIT ?) j
        STRAIGHT_JOIN apple_iap_transactions t ON t.id = j.id
        LEFT JOIN users u ON u.pseudonym = t.user_id
        ORDER BY t.id DESC
        """)

    private static let byPseudonym = SQLStatement("find pseudonym", "SELECT user_id FROM users WHERE pseudonym = ?")

    /// The person whom `name`, `#` and the pseudonym, means; nil for what means nobody.
    static func person(_ name: String, in session: Session) throws(DatabaseError) -> Found? {
        guard let pseudonym = UserID(pseudonym: name)?.pseudonym,
            let row = try session.query(byPseudonym, [.uint64(pseudonym)]).first
        else { return nil }
        return .user(try user(row, 0))
    }

    /// Purchases of this original id, of any source, app and environment.
    static func purchases(
        externalID: String, limit: Int, in session: Session
    ) throws(DatabaseError) -> [Found] {
        try session.query(purchasesByExternalID, [.text(externalID), Value(limit)]) { (row) throws(DatabaseError) in
            .purchase(try key(row, from: 0), owner: try user(row, 4))
        }
    }

    /// Purchases that have a transaction of this id.
    static func transactions(
        transactionID: String, limit: Int, in session: Session
    ) throws(DatabaseError) -> [Found] {
        try session.query(transactionsByID, [.text(transactionID), Value(limit)]) { (row) throws(DatabaseError) in
            .transaction(TransactionID(transactionID), of: try key(row, from: 0), owner: try user(row, 4))
        }
    }

    /// States before `id`, the last recorded first.
    static func page(
        before id: UInt64?, limit: Int, in session: Session
    ) throws(DatabaseError) -> [RecordedTransaction] {
        try session.query(pageOfStates, [.uint64(id ?? .max), Value(limit)]) { (row) throws(DatabaseError) in
            RecordedTransaction(
                id: try row.uint64(0), state: try StateRow.state(row, 4), owner: try user(row, 2),
                recordedAt: Instant(milliseconds: try row.int64(1)), unreadable: try StateRow.unreadable(row, 3))
        }
    }

    private static func key(_ row: Row, from first: Int) throws(DatabaseError) -> PurchaseKey {
        guard let key = try PurchaseRow.key(row, from: first) else { throw row.malformed(first) }
        return key
    }

    private static func user(_ row: Row, _ column: Int) throws(DatabaseError) -> UserID? {
        try row.optionalText(column).flatMap { UserID($0) }
    }
}

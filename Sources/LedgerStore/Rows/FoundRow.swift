import Entitlements
import MariaDB

/// What operators look up, each by an index.
enum FoundRow {
    private static let keyColumns = PurchaseRow.columns

    /// Among which a tombstone may stand for a number.
    private static let scopes = Statement(
        "list scopes of buried purchases",
        """
        SELECT s.source, s.app, s.environment, ''
        FROM (
            SELECT DISTINCT source, app, environment FROM purchases FORCE INDEX (by_external_id)
            WHERE \(PurchaseRow.isBuried)
        ) s
        """)

    private static let holderByToken = Statement(
        "find token holder",
        """
        SELECT u.user_id
        FROM (SELECT user_id FROM account_tokens WHERE token = ? UNION ALL SELECT user_id FROM merged_tokens WHERE token = ?) a
        STRAIGHT_JOIN users u ON u.pseudonym = a.user_id
        """)

    private static let purchasesByExternalID = Statement(
        "find purchases",
        """
        SELECT \(keyColumns), u.user_id
        FROM purchases p LEFT JOIN users u ON u.pseudonym = p.user_id
        WHERE p.external_id = ? ORDER BY p.id LIMIT ?
        """)

    private static let transactionsByID = Statement(
        "find transactions",
        """
        SELECT \(keyColumns), u.user_id
        FROM (SELECT DISTINCT purchase_id FROM apple_iap_transactions WHERE transaction_id = ? LIMIT ?) t
        STRAIGHT_JOIN purchases p ON p.id = t.purchase_id
        LEFT JOIN users u ON u.pseudonym = p.user_id
        ORDER BY p.id
        """)

    private static let pageOfStates = Statement(
        "list transactions",
        """
        SELECT t.id, t.recorded_at, \(keyColumns), u.user_id, t.unreadable, \(StateRow.columns)
        FROM (SELECT id FROM apple_iap_transactions WHERE id < ? ORDER BY id DESC LIMIT ?) j
        STRAIGHT_JOIN apple_iap_transactions t ON t.id = j.id
        STRAIGHT_JOIN purchases p ON p.id = t.purchase_id
        LEFT JOIN users u ON u.pseudonym = p.user_id
        ORDER BY t.id DESC
        """)

    /// The user whom `token` names.
    static func holder(of token: AccountToken, in session: Session) throws(DatabaseError) -> UserID? {
        guard let row = try session.query(holderByToken, [.bytes(token.bytes), .bytes(token.bytes)]).first else {
            return nil
        }
        return try user(row, 0)
    }

    /// What stands for `number` in the rows: itself, and where anything is buried its tombstone in each app and environment.
    static func names(
        of number: String, under key: TombstoneKey, in session: Session
    ) throws(DatabaseError) -> [String] {
        guard try PurchaseRow.isAnyBuried(in: session) else { return [number] }
        let tombstones = try session.query(scopes) { (row) throws(DatabaseError) in
            try PurchaseRow.key(row, from: 0).map { key.tombstone(of: $0.numbered(ExternalID(number))).text }
        }
        return [number] + Set(tombstones.compactMap(\.self)).subtracting([number]).sorted()
    }

    /// Purchases of this original id, of any source, app and environment.
    static func purchases(
        externalID: String, limit: Int, in session: Session
    ) throws(DatabaseError) -> [Found] {
        try session.query(purchasesByExternalID, [.text(externalID), Value(limit)]) { (row) throws(DatabaseError) in
            .purchase(try key(row, from: 0), owner: try user(row, 4))
        }
    }

    /// Purchases that have a transaction of this id, which stands there as `name`.
    static func transactions(
        transactionID: String, standingAs name: String, limit: Int, in session: Session
    ) throws(DatabaseError) -> [Found] {
        try session.query(transactionsByID, [.text(name), Value(limit)]) { (row) throws(DatabaseError) in
            .transaction(TransactionID(transactionID), of: try key(row, from: 0), owner: try user(row, 4))
        }
    }

    /// States before `id`, the last recorded first.
    static func page(
        before id: UInt64?, limit: Int, in session: Session
    ) throws(DatabaseError) -> [RecordedTransaction] {
        try session.query(pageOfStates, [.uint64(id ?? .max), Value(limit)]) { (row) throws(DatabaseError) in
            RecordedTransaction(
                id: try row.uint64(0), state: try StateRow.decode(row, from: 8, key: try key(row, from: 2)),
                owner: try user(row, 6), recordedAt: Instant(milliseconds: try row.int64(1)),
                unreadable: try StateRow.unreadable(row, 7))
        }
    }

    private static func key(_ row: Row, from first: Int) throws(DatabaseError) -> PurchaseKey {
        guard let source = Source(rawValue: try row.text(first)),
            let environment = StoreEnvironment(rawValue: try row.text(first + 2))
        else { throw DatabaseError(.unexpectedCell(column: first), statement: "read purchase key") }
        return PurchaseKey(
            source: source, app: AppID(try row.text(first + 1)), environment: environment,
            externalID: ExternalID(try row.text(first + 3)))
    }

    private static func user(_ row: Row, _ column: Int) throws(DatabaseError) -> UserID? {
        try row.optionalText(column).flatMap { UserID($0) }
    }
}

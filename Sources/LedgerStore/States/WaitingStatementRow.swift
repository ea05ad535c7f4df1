import Crypto
import Entitlements
import MariaDB

/// A row of `waiting_statements`: a statement that waits until somebody has the purchase.
enum WaitingStatementRow {
    private static let byPurchase = SQLStatement(
        "read waiting statements",
        """
        SELECT w.purchase_id, w.kind, w.statement
        FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) j
        STRAIGHT_JOIN waiting_statements w ON w.purchase_id = j.id
        ORDER BY w.purchase_id, w.statement_hash
        """)

    private static let insert = SQLStatement(
        "keep waiting statement",
        """
        INSERT INTO waiting_statements (purchase_id, statement_hash, kind, statement, recorded_at)
        VALUES (?, ?, ?, ?, ?)
        ON DUPLICATE KEY UPDATE purchase_id = purchase_id
        """)

    private static let remove = SQLStatement(
        "remove waiting statements", "DELETE FROM waiting_statements WHERE purchase_id = ?")

    /// The waiting statements, by the row ids of their purchases. Throws when the database is away.
    static func load(of purchases: [UInt64], in session: Session) throws(DatabaseError) -> [UInt64: [Statement]] {
        guard !purchases.isEmpty else { return [:] }
        var array = JSONArray()
        purchases.forEach { array.append($0) }
        var statements: [UInt64: [Statement]] = [:]
        for row in try session.query(byPurchase, [.text(array.closed)]) {
            guard let kind = FactKind(rawValue: try row.text(1)),
                case .list(let fields)? = JSONField(json: try row.text(2)),
                let statement = FactContent.read(fields, of: kind)?.statement
            else { throw row.malformed(2) }
            statements[try row.uint64(0), default: []].append(statement)
        }
        return statements
    }

    /// Inserts statements. Repeat is safe because a statement has one row. Throws when the database is away.
    static func insert(
        _ statements: [(purchase: UInt64, statement: Statement)], at now: Instant, in session: Session
    ) throws(DatabaseError) {
        try session.executeBulk(
            insert,
            statements.map { purchase, statement in
                let text = Array(StatementContent.of(statement).json.utf8)
                return [
                    .uint64(purchase), .bytes(Array(SHA256.hash(data: text))),
                    .text(FactKind(of: .stated(statement)).rawValue), .bytes(text), .int64(now.milliseconds),
                ]
            })
    }

    /// Removes the waiting statements about purchases with these row ids. Throws when the database is away.
    static func remove(of purchases: [UInt64], in session: Session) throws(DatabaseError) {
        try session.executeEach(remove, purchases.map { [.uint64($0)] })
    }
}

import Entitlements
import MariaDB

/// An Apple account and one of several people who have purchases of it.
enum ConflictRow {
    private static let sameAccount = "app_transaction_id = w.account AND app = w.app AND environment = w.environment"

    /// Only the first and the last person of an account are looked up until it turns out to have several.
    private static let page = SQLStatement(
        "list conflicts",
        """
        SELECT c.newest, c.account, c.app, c.environment, u.user_id, COUNT(DISTINCT o.purchase_id)
        FROM (
            SELECT w.newest, w.account, w.app, w.environment
            FROM (
                SELECT MAX(id) newest, app_transaction_id account, app, environment
                FROM apple_iap_transactions FORCE INDEX (PRIMARY)
                WHERE id < ? AND id >= ? AND app_transaction_id IS NOT NULL
                GROUP BY app_transaction_id, app, environment) w
            WHERE (
                    SELECT user_id FROM apple_iap_transactions FORCE INDEX (by_account)
                    WHERE \(sameAccount) AND user_id IS NOT NULL ORDER BY user_id LIMIT 1)
                < (
                    SELECT user_id FROM apple_iap_transactions FORCE INDEX (by_account)
                    WHERE \(sameAccount) ORDER BY user_id DESC LIMIT 1)
                AND (
                    SELECT 1 FROM apple_iap_transactions FORCE INDEX (by_account)
                    WHERE \(sameAccount) AND id >= ? LIMIT 1) IS NULL
            ORDER BY w.newest DESC LIMIT ?) c
        STRAIGHT_JOIN apple_iap_transactions o FORCE INDEX (by_account) ON o.app_transaction_id = c.account
            AND o.app = c.app AND o.environment = c.environment AND o.user_id IS NOT NULL
        LEFT JOIN users u ON u.pseudonym = o.user_id
        GROUP BY c.newest, o.user_id
        ORDER BY c.newest DESC, o.user_id
        """)

    /// Up to `limit` accounts that several people have purchases of, those who are erased among them, and whose newest
    /// state stands before `id` and down to `floor`, the last recorded first.
    static func page(
        before id: UInt64, downTo floor: UInt64, limit: Int, in session: Session
    ) throws(DatabaseError) -> [AccountConflict] {
        var conflicts: [AccountConflict] = []
        for row in try session.query(page, [.uint64(id), .uint64(floor), .uint64(id), Value(limit)]) {
            let newest = try row.uint64(0)
            if conflicts.last?.id != newest { conflicts.append(try conflict(row, newest: newest)) }
            let owner = try AccountConflict.Owner(
                user: row.optionalText(4).flatMap { UserID($0) }, purchases: row.int(5))
            conflicts[conflicts.count - 1].owners.append(owner)
        }
        return conflicts
    }

    private static func conflict(_ row: Row, newest: UInt64) throws(DatabaseError) -> AccountConflict {
        guard let environment = StoreEnvironment(rawValue: try row.text(3)) else { throw row.malformed(3) }
        return AccountConflict(
            id: newest, account: Label(try row.text(1)), app: AppID(try row.text(2)),
            environment: environment, owners: [])
    }
}

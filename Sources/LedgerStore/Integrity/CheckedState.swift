import Entitlements
import MariaDB

/// A row of `apple_iap_transactions` as the integrity check reads it. The row is whole if its columns, statement and
/// digest agree, and its owner is the owner of its purchase.
struct CheckedState {
    private static let page = SQLStatement(
        "read page of states", statement(choosing: "SELECT id FROM apple_iap_transactions WHERE id > ?"))

    private static let pageOfPerson = SQLStatement(
        "read page of a person's states",
        statement(
            choosing: """
                SELECT a.id
                FROM (
                    SELECT id FROM purchases WHERE user_id = ?
                    UNION SELECT purchase_id FROM purchase_holders WHERE user_id = ?) o
                STRAIGHT_JOIN apple_iap_transactions a ON a.purchase_id = o.id
                WHERE a.id > ?
                """))

    private static func statement(choosing ids: String) -> String {
        """
        SELECT t.id, t.statement, t.content_hash, t.app, t.environment, t.original_transaction_id, t.transaction_id,
            t.product_id, t.subscription_group, t.purchase_at, t.original_purchase_at, t.expires_at, t.quantity,
            t.is_family_shared, t.is_upgraded, t.price, t.currency, t.offer, t.revocation_at, t.share,
            t.app_account_token, t.app_transaction_id, t.signed_at, p.source, p.app, p.environment, p.external_id,
            t.user_id <=> p.user_id
        FROM (\(ids) ORDER BY id LIMIT ?) j
        STRAIGHT_JOIN apple_iap_transactions t ON t.id = j.id
        LEFT JOIN purchases p ON p.id = t.purchase_id
        ORDER BY t.id
        """
    }

    let id: UInt64
    let isWhole: Bool

    /// Up to `limit` rows with ids above `id`: of all states, or of the purchases that the person under `pseudonym` has
    /// or had.
    static func page(
        of pseudonym: UInt64?, after id: UInt64, limit: Int, in session: Session
    ) throws(DatabaseError) -> [CheckedState] {
        let person = pseudonym.map { [Value.uint64($0), .uint64($0)] } ?? []
        return try session.query(
            pseudonym == nil ? page : pageOfPerson, person + [.uint64(id), Value(limit)]
        ) { (row) throws(DatabaseError) in
            CheckedState(id: try row.uint64(0), isWhole: try isWhole(row))
        }
    }

    private static func isWhole(_ row: Row) throws(DatabaseError) -> Bool {
        guard case .list(let fields)? = JSONField(json: try row.text(1)),
            let state = StatementContent.purchase(fields), StatementContent.row(of: state).digest == (try row.bytes(2))
        else { return false }
        guard try row.bool(27) else { return false }
        let (key, revocation) = (state.key, state.revocation)
        let texts = try [3, 4, 5, 6, 7, 8, 16, 17, 20, 21, 23, 24, 25, 26].map { (column) throws(DatabaseError) in
            try row.optionalText(column)
        }
        let (app, environment, number) = (key.app.text, key.environment.rawValue, key.externalID.text)
        let numbers = try [9, 10, 11, 12, 13, 14, 15, 18, 19, 22].map { (column) throws(DatabaseError) in
            try row.optionalInt64(column)
        }
        return texts == [
            app, environment, number, state.transactionID.text, state.productID.text, state.subscriptionGroup,
            state.price?.currency, state.offer, state.accountToken?.text, state.account?.text, key.source.text, app,
            environment, number,
        ]
            && numbers == [
                state.purchasedAt.milliseconds, state.originallyPurchasedAt.milliseconds, state.expiresAt?.milliseconds,
                Int64(state.quantity), state.isFamilyShared ? 1 : 0, state.isUpgraded ? 1 : 0, state.price?.milliunits,
                revocation?.revokedAt.milliseconds, revocation?.share.map(Int64.init), state.signedAt.milliseconds,
            ]
    }
}

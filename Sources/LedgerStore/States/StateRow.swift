import Entitlements
import MariaDB

/// A row of `apple_iap_transactions`: one signed state, in the App Store's fields and in the encoding of ledgers.
enum StateRow {
    /// The state in the column `statement`, which is number `column` of the result.
    static func state(_ row: Row, _ column: Int) throws(DatabaseError) -> VerifiedPurchase {
        guard case .list(let fields)? = JSONField(json: try row.text(column)),
            let state = StatementContent.purchase(fields)
        else { throw row.malformed(column) }
        return state
    }

    /// Reads the states of purchases. The rows are sorted after that, for the reason of `read ledgers`.
    private static let byPurchase = SQLStatement(
        "read states",
        """
        SELECT t.purchase_id, t.id, t.text_of, t.content_hash, t.statement
        FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) j
        STRAIGHT_JOIN apple_iap_transactions t ON t.purchase_id = j.id
        """)

    static let insert = SQLStatement(
        "insert state",
        """
        INSERT INTO apple_iap_transactions
            (purchase_id, app, environment, transaction_id, original_transaction_id, web_order_line_item_id, user_id,
             product_id, product_type, subscription_group, purchase_at, original_purchase_at, expires_at, quantity,
             is_family_shared, is_upgraded, reason, storefront, storefront_id, price, currency, offer, offer_type,
             offer_discount_type, offer_period, billing_plan_type, revocation_at, revocation_reason, revocation_type,
             revocation_percentage, share, app_account_token, app_transaction_id, signed_at, recorded_at, statement,
             content_hash, jws_hash, text_of, unreadable)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
            ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        RETURNING id
        """)

    /// The states of locked purchases, by the purchase's row id, in the order of recording.
    static func states(
        of purchases: [PurchaseRow.Held], in session: Session
    ) throws(DatabaseError) -> [UInt64: [Workspace.State]] {
        guard !purchases.isEmpty else { return [:] }
        var array = JSONArray()
        purchases.forEach { array.append($0.id) }
        var states: [UInt64: [Workspace.State]] = [:]
        let rows = try session.query(byPurchase, [.text(array.closed)]) { (row) throws(DatabaseError) in
            (id: try row.uint64(1), row: row)
        }
        for (id, row) in rows.sorted(by: { $0.id < $1.id }) {
            states[try row.uint64(0), default: []].append(
                Workspace.State(
                    purchase: try state(row, 4), statement: try row.text(4),
                    contentHash: try row.bytes(3), id: id,
                    textOf: try row.optionalUInt64(2), repeats: nil, new: nil))
        }
        return states
    }

    /// A state to insert, with the ids of the rows to which it refers.
    struct New {
        let state: VerifiedPurchase
        /// The statement in the encoding of ledgers.
        let statement: String
        let proof: Evidence.Proof
        let contentHash: [UInt8]
        let purchase: UInt64
        /// The owner's pseudonym.
        let owner: UInt64?
        let recordedAt: Instant
        /// The id of the row that keeps the text; nil if this row itself does.
        let textOf: UInt64?

        /// The parameters of `insert`.
        var values: [Value] {
            let (details, revocation) = (proof.details, state.revocation)
            return [
                .uint64(purchase), .text(state.key.app.text), .text(state.key.environment.rawValue),
                .text(state.transactionID.text), .text(state.key.externalID.text), Value(details.webOrderLineItemID),
                Value(owner), .text(state.productID.text), .text(details.productType), Value(state.subscriptionGroup),
                .int64(state.purchasedAt.milliseconds), .int64(state.originallyPurchasedAt.milliseconds),
                Value(state.expiresAt?.milliseconds), Value(state.quantity), Value(state.isFamilyShared),
                Value(state.isUpgraded), Value(details.reason), Value(details.storefront), Value(details.storefrontID),
                Value(state.price?.milliunits), Value(state.price?.currency), Value(state.offer),
                Value(details.offerType), Value(details.offerDiscountType), Value(details.offerPeriod),
                Value(details.billingPlanType), Value(revocation?.revokedAt.milliseconds),
                Value(details.revocationReason), Value(details.revocationType), Value(details.revocationPercentage),
                Value(revocation?.share), Value(state.accountToken?.text),
                Value(state.account?.text), .int64(state.signedAt.milliseconds), .int64(recordedAt.milliseconds),
                .text(statement), .bytes(contentHash), .bytes(proof.text.digest), Value(textOf),
                Value(column(proof.unreadable)),
            ]
        }

        /// The value of the column `unreadable`: names with commas between them, nil if everything could be read.
        private func column(_ unreadable: [String]) -> String? {
            unreadable.isEmpty ? nil : unreadable.joined(separator: ",")
        }
    }

    /// The names in the column `unreadable`, which is number `column` of the result.
    static func unreadable(_ row: Row, _ column: Int) throws(DatabaseError) -> [String] {
        try row.optionalText(column)?.split(separator: ",").map(String.init) ?? []
    }
}

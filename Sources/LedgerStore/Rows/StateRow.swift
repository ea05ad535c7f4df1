import Crypto
import Entitlements
import MariaDB

/// A row of `apple_iap_transactions`: one signed state.
enum StateRow {
    /// The columns that make a `VerifiedPurchase`, in the order that `decode` reads them.
    static let columns = """
        t.transaction_id, t.period_id, t.product_id, t.product_type, t.purchase_at, t.original_purchase_at, t.expires_at, \
        t.quantity, t.is_family_shared, t.is_upgraded, t.revocation_at, t.share, t.app_account_token, \
        t.app_transaction_id, t.signed_at
        """

    /// How many columns that is.
    static let width = 15

    /// The state in the columns from `first` on.
    static func decode(_ row: Row, from first: Int, key: PurchaseKey) throws(DatabaseError) -> VerifiedPurchase {
        VerifiedPurchase(
            key: key,
            transactionID: TransactionID(try row.text(first)),
            periodID: try row.optionalText(first + 1),
            productID: ProductID(try row.text(first + 2)),
            type: StoreProductType(column: try row.text(first + 3)),
            purchasedAt: Instant(milliseconds: try row.int64(first + 4)),
            originallyPurchasedAt: Instant(milliseconds: try row.int64(first + 5)),
            expiresAt: try row.optionalInt64(first + 6).map(Instant.init(milliseconds:)),
            quantity: try row.int(first + 7),
            isFamilyShared: try row.bool(first + 8),
            isUpgraded: try row.bool(first + 9),
            revocation: try revocation(row, from: first + 10),
            accountToken: try row.optionalBytes(first + 12).flatMap(AccountToken.init(bytes:)),
            appTransactionID: try row.optionalText(first + 13).map { AppTransactionID($0) },
            signedAt: Instant(milliseconds: try row.int64(first + 14)))
    }

    private static func revocation(_ row: Row, from first: Int) throws(DatabaseError) -> Revocation? {
        guard let revokedAt = try row.optionalInt64(first) else { return nil }
        return Revocation(revokedAt: Instant(milliseconds: revokedAt), share: try row.optionalInt(first + 1))
    }

    static let insert = Statement(
        "insert state",
        """
        INSERT INTO apple_iap_transactions
            (purchase_id, app, environment, transaction_id, original_transaction_id, period_id, user_id, product_id,
             product_type, purchase_at, original_purchase_at, expires_at, quantity, is_family_shared, is_upgraded,
             revocation_at, share, app_account_token, app_transaction_id, signed_at, recorded_at, content_hash,
             jws_hash, text_of, unreadable)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        RETURNING id
        """)

    private static let setNames = Statement(
        "name state", "UPDATE apple_iap_transactions SET transaction_id = ?, period_id = ? WHERE id = ?")

    /// Writes the names of transactions and periods in the place of their tombstones. The original transaction's stays: the
    /// content's digest is a tombstone as long as it is one.
    static func name(_ states: [(id: UInt64, state: VerifiedPurchase)], in session: Session) throws(DatabaseError) {
        try session.executeBulk(
            setNames, states.map { [.text($0.state.transactionID.text), Value($0.state.periodID), .uint64($0.id)] })
    }

    /// The parameters of `insert`.
    static func values(
        _ state: VerifiedPurchase, provedBy evidence: Evidence, contentHash: [UInt8], purchase: UInt64, owner: UInt64?,
        recordedAt: Instant, textOf: UInt64?
    ) -> [Value] {
        [
            .uint64(purchase), .text(state.key.app.text), .text(state.key.environment.rawValue),
            .text(state.transactionID.text), .text(state.key.externalID.text), Value(state.periodID), Value(owner),
            .text(state.productID.text), .text(state.type.column), .int64(state.purchasedAt.milliseconds),
            .int64(state.originallyPurchasedAt.milliseconds), Value(state.expiresAt?.milliseconds),
            Value(state.quantity), Value(state.isFamilyShared), Value(state.isUpgraded),
            Value(state.revocation?.revokedAt.milliseconds), Value(state.revocation?.share),
            Value(state.accountToken?.bytes), Value(state.appTransactionID?.text),
            .int64(state.signedAt.milliseconds), .int64(recordedAt.milliseconds),
            .bytes(contentHash), .bytes(evidence.text.digest), Value(textOf), Value(column(evidence.unreadable)),
        ]
    }

    /// What the column `unreadable` holds: names with commas between them, NULL where everything could be read.
    private static func column(_ unreadable: [String]) -> String? {
        unreadable.isEmpty ? nil : unreadable.joined(separator: ",")
    }

    /// The names in `column`.
    static func unreadable(_ row: Row, _ column: Int) throws(DatabaseError) -> [String] {
        try row.optionalText(column)?.split(separator: ",").map(String.init) ?? []
    }
}

extension StoreProductType {
    /// What the column `product_type` holds: Apple's own words, so that an unknown one is kept as it came.
    var column: String {
        switch self {
        case .consumable: "Consumable"
        case .nonConsumable: "Non-Consumable"
        case .nonRenewing: "Non-Renewing Subscription"
        case .autoRenewable: "Auto-Renewable Subscription"
        case .unknown(let text): text
        }
    }

    init(column: String) {
        switch column {
        case "Consumable": self = .consumable
        case "Non-Consumable": self = .nonConsumable
        case "Non-Renewing Subscription": self = .nonRenewing
        case "Auto-Renewable Subscription": self = .autoRenewable
        default: self = .unknown(column)
        }
    }
}

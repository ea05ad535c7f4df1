/// One signed state of one transaction, in our words: where a store's vocabulary ends.
///
/// Only a source's own verifier makes evidence worth one of these (`AppStoreSource`). A state is
/// (transaction, `signedAt`, content); evidence about one transaction is the sequence of its states by `signedAt`
/// (`semantics.md` §1).
///
/// A class, because ledgers, decisions and folds hand states about and each has some fifteen fields.
package final class VerifiedPurchase: Hashable, Sendable {
    package let key: PurchaseKey
    package let transactionID: TransactionID
    /// What tells an auto-renewable's periods apart; nil for one-time purchases (`semantics.md` §5).
    package let periodID: String?
    package let productID: ProductID
    package let type: StoreProductType
    package let purchasedAt: Instant
    /// When the purchase that this transaction derives from was made.
    package let originallyPurchasedAt: Instant
    /// The end of an auto-renewable's period; nil for one-time purchases.
    package let expiresAt: Instant?
    package let quantity: Int
    package let isFamilyShared: Bool
    package let isUpgraded: Bool
    package let revocation: Revocation?
    package let accountToken: AccountToken?
    package let appTransactionID: AppTransactionID?
    package let signedAt: Instant

    package init(
        key: PurchaseKey, transactionID: TransactionID, periodID: String? = nil, productID: ProductID,
        type: StoreProductType, purchasedAt: Instant, originallyPurchasedAt: Instant? = nil, expiresAt: Instant? = nil,
        quantity: Int = 1, isFamilyShared: Bool = false, isUpgraded: Bool = false, revocation: Revocation? = nil,
        accountToken: AccountToken? = nil, appTransactionID: AppTransactionID? = nil, signedAt: Instant
    ) {
        self.key = key
        self.transactionID = transactionID
        self.periodID = periodID
        self.productID = productID
        self.type = type
        self.purchasedAt = purchasedAt
        self.originallyPurchasedAt = originallyPurchasedAt ?? purchasedAt
        self.expiresAt = expiresAt
        self.quantity = quantity
        self.isFamilyShared = isFamilyShared
        self.isUpgraded = isUpgraded
        self.revocation = revocation
        self.accountToken = accountToken
        self.appTransactionID = appTransactionID
        self.signedAt = signedAt
    }

    package static func == (left: VerifiedPurchase, right: VerifiedPurchase) -> Bool {
        left === right || left.signedAt == right.signedAt && left.hasSameContent(as: right)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(key)
        hasher.combine(transactionID)
        hasher.combine(signedAt)
    }

    /// Whether this is the purchase itself and not a restored copy of it.
    package var isOriginal: Bool { ExternalID(transactionID.text) == key.externalID }

    /// Whether the two states say the same and differ at most in when they were signed.
    package func hasSameContent(as other: VerifiedPurchase) -> Bool {
        key == other.key && transactionID == other.transactionID && periodID == other.periodID
            && productID == other.productID && type == other.type && purchasedAt == other.purchasedAt
            && originallyPurchasedAt == other.originallyPurchasedAt && expiresAt == other.expiresAt
            && quantity == other.quantity && isFamilyShared == other.isFamilyShared && isUpgraded == other.isUpgraded
            && revocation == other.revocation && accountToken == other.accountToken
            && appTransactionID == other.appTransactionID
    }
}

/// What a store calls the type of a product; an unknown one is kept, shown and grants nothing.
package enum StoreProductType: Hashable, Sendable {
    case consumable
    case nonConsumable
    case nonRenewing
    case autoRenewable
    case unknown(String)

    /// The catalogue's kind that this type must have; nil for a type that nobody knows.
    package var kind: ProductKind? {
        switch self {
        case .consumable: .consumable
        case .nonConsumable: .addOn
        case .nonRenewing: .pass
        case .autoRenewable: .plan
        case .unknown: nil
        }
    }
}

/// A refund or withdrawal as a state shows it.
package struct Revocation: Hashable, Sendable {
    package let revokedAt: Instant
    /// The share of the price that was refunded, 0…100000 (a full refund is 100000); nil is an anomaly,
    /// which takes everything until an operator looks (`semantics.md` §2).
    package let share: Int?

    package init(revokedAt: Instant, share: Int?) {
        self.revokedAt = revokedAt
        self.share = share
    }

    /// A refund of everything.
    package static let fullShare = 100_000
}

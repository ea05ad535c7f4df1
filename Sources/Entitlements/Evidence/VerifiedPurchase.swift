/// A signed state of one transaction, in our words: where a store's vocabulary ends.
///
/// Only a source's own verifier makes evidence worth one of these (`AppStoreSource`). A state is (transaction,
/// `signedAt`, content); evidence about one transaction is the sequence of its states by `signedAt` (`semantics.md`
/// §1). A state says all that the fold asks, so that a ledger that holds it needs no other table.
///
/// A class, because ledgers, decisions and folds hand states about and each has some twenty fields.
package final class VerifiedPurchase: Hashable, Sendable {
    package let key: PurchaseKey
    package let transactionID: TransactionID
    /// True if this is the purchase itself and not a restored copy of it.
    package let isOriginal: Bool
    /// The id of the plan's period; nil for one-time purchases (`semantics.md` §5).
    package let periodID: String?
    /// The first name that the store gave the product.
    package let productID: ProductID
    /// Further names of the product, such as those of its price, in the order in which the catalogue is asked for them.
    package let otherNames: [ProductID]
    package let type: StatedType
    package let purchasedAt: Instant
    /// When the purchase that this transaction derives from was made.
    package let originallyPurchasedAt: Instant
    /// The end of a plan's period; nil for one-time purchases.
    package let expiresAt: Instant?
    package let quantity: Int
    package let isFamilyShared: Bool
    package let isUpgraded: Bool
    /// The offer by which the product was sold.
    package let offer: String?
    /// The plans of one group stand in for each other.
    package let subscriptionGroup: String?
    package let suspension: Suspension?
    package let price: Price?
    package let revocation: Revocation?
    package let accountToken: Label?
    /// The store's account that bought it.
    package let account: Label?
    package let signedAt: Instant
    /// The source's event that states it, where a source tells by events. Such an event states all periods of its chain
    /// that run, so a period that a later event leaves out is over.
    package let eventID: String?
    /// The item of the subscription that the period is of; nil where a purchase has no items.
    package let item: String?
    /// The money that is missing for the period; of a state without an end of its own, what became of one bill.
    package let bill: Bill?

    /// Without being told, a transaction of the purchase's own id is the original.
    package init(
        key: PurchaseKey, transactionID: TransactionID, isOriginal: Bool? = nil, periodID: String? = nil,
        productID: ProductID, otherNames: [ProductID] = [], type: StatedType, purchasedAt: Instant,
        originallyPurchasedAt: Instant? = nil, expiresAt: Instant? = nil, quantity: Int = 1,
        isFamilyShared: Bool = false, isUpgraded: Bool = false, offer: String? = nil, subscriptionGroup: String? = nil,
        suspension: Suspension? = nil, price: Price? = nil, revocation: Revocation? = nil, accountToken: Label? = nil,
        account: Label? = nil, signedAt: Instant, eventID: String? = nil, item: String? = nil, bill: Bill? = nil
    ) {
        self.key = key
        self.transactionID = transactionID
        self.isOriginal = isOriginal ?? (ExternalID(transactionID.text) == key.externalID)
        self.periodID = periodID
        self.productID = productID
        self.otherNames = otherNames
        self.type = type
        self.purchasedAt = purchasedAt
        self.originallyPurchasedAt = originallyPurchasedAt ?? purchasedAt
        self.expiresAt = expiresAt
        self.quantity = quantity
        self.isFamilyShared = isFamilyShared
        self.isUpgraded = isUpgraded
        self.offer = offer
        self.subscriptionGroup = subscriptionGroup
        self.suspension = suspension
        self.price = price
        self.revocation = revocation
        self.accountToken = accountToken
        self.account = account
        self.signedAt = signedAt
        self.eventID = eventID
        self.item = item
        self.bill = bill
    }

    package static func == (left: VerifiedPurchase, right: VerifiedPurchase) -> Bool {
        left === right || left.signedAt == right.signedAt && left.hasSameContent(as: right)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(key)
        hasher.combine(transactionID)
        hasher.combine(signedAt)
    }

    /// The store's own name of the product; nil for a payment of no named product, whose number stands in its place.
    package var storeProductID: ProductID? { productID.text == key.externalID.text ? nil : productID }

    /// Every name that the store gave the product; the first that the catalogue knows counts.
    package var productNames: [ProductID] { [productID] + otherNames }

    /// True if the state tells only of a bill, not of a period.
    package var isOfBill: Bool { bill != nil && expiresAt == nil }

    /// True if the state is of a period that runs. A source that tells by events also states quantity 0: the period
    /// does not run.
    var statesPeriod: Bool { expiresAt != nil && (quantity > 0 || eventID == nil) }

    /// True if the two states name one product. Other names may come to stand for it, as when a lookup key moves on.
    func namesSameProduct(as other: VerifiedPurchase) -> Bool { productID == other.productID }

    /// True if the two states say the same and differ at most in when they were signed.
    package func hasSameContent(as other: VerifiedPurchase) -> Bool {
        key == other.key && transactionID == other.transactionID && isOriginal == other.isOriginal
            && periodID == other.periodID && productID == other.productID && otherNames == other.otherNames
            && type == other.type && purchasedAt == other.purchasedAt
            && originallyPurchasedAt == other.originallyPurchasedAt && expiresAt == other.expiresAt
            && quantity == other.quantity && isFamilyShared == other.isFamilyShared && isUpgraded == other.isUpgraded
            && offer == other.offer && subscriptionGroup == other.subscriptionGroup
            && suspension == other.suspension && price == other.price && revocation == other.revocation
            && accountToken == other.accountToken && account == other.account && eventID == other.eventID
            && item == other.item && bill == other.bill
    }
}

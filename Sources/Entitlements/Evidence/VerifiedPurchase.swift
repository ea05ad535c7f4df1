/// A signed state of one transaction, in the words of this project instead of the store's.
///
/// A state is made only of evidence that the verifier of its source accepted (`AppStoreSource`). A transaction, a
/// signing date and a content identify it. All states of one transaction form a sequence by `signedAt` (`semantics.md`
/// §1). A state carries everything that the fold reads, so a ledger is folded without any other table.
///
/// This is a class because a state has some twenty fields, and ledgers, decisions and folds pass states around.
package final class VerifiedPurchase: Hashable, Sendable {
    package let key: PurchaseKey
    package let transactionID: TransactionID
    /// True if the transaction is the purchase itself and not a restored copy of it.
    package let isOriginal: Bool
    /// The id of the period, for a plan; nil for one-time purchases (`semantics.md` §5).
    package let periodID: String?
    /// The product's name; if the store gives several, the first of them.
    package let productID: ProductID
    /// Further names of the product, such as the lookup key of its price, in the order in which the catalogue looks
    /// them up.
    package let otherNames: [ProductID]
    package let type: StatedType
    package let purchasedAt: Instant
    /// The date of the first purchase, from which a restored copy or a renewal derives.
    package let originallyPurchasedAt: Instant
    /// The end of the period, for a plan; nil for one-time purchases, and where the state only tells of a bill or a
    /// refund.
    package let expiresAt: Instant?
    package let quantity: Int
    package let isFamilyShared: Bool
    package let isUpgraded: Bool
    /// The name of the introductory offer, which has no id of its own at the App Store.
    package static let introductoryOffer = "introductory"
    /// The offer by which the product was sold.
    package let offer: String?
    /// The store's group of plans that can replace each other.
    package let subscriptionGroup: String?
    package let suspension: Suspension?
    package let price: Price?
    package let revocation: Revocation?
    package let accountToken: Label?
    /// The Apple account that made the purchase.
    package let account: Label?
    package let signedAt: Instant
    /// The id of the source's event that makes the statement; nil for a source without events. An event lists all
    /// periods of a subscription that run, so a period that the next event leaves out is over.
    package let eventID: String?
    /// The item of the subscription to which the period belongs; nil if the purchase has no items.
    package let item: String?
    /// The bill for which money is missing, in a state of a period. In a state without `expiresAt`, the bill that was
    /// paid or failed.
    package let bill: Bill?
    /// True for a period that the customer bought, and that is no renewal.
    package let isBought: Bool

    /// Makes a state. By default a transaction whose id is the purchase's own is the original.
    package init(
        key: PurchaseKey, transactionID: TransactionID, isOriginal: Bool? = nil, periodID: String? = nil,
        productID: ProductID, otherNames: [ProductID] = [], type: StatedType, purchasedAt: Instant,
        originallyPurchasedAt: Instant? = nil, expiresAt: Instant? = nil, quantity: Int = 1,
        isFamilyShared: Bool = false, isUpgraded: Bool = false, offer: String? = nil, subscriptionGroup: String? = nil,
        suspension: Suspension? = nil, price: Price? = nil, revocation: Revocation? = nil, accountToken: Label? = nil,
        account: Label? = nil, signedAt: Instant, eventID: String? = nil, item: String? = nil, bill: Bill? = nil,
        isBought: Bool = false
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
        self.isBought = isBought
    }

    package static func == (left: VerifiedPurchase, right: VerifiedPurchase) -> Bool {
        left === right || left.signedAt == right.signedAt && left.hasSameContent(as: right)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(key)
        hasher.combine(transactionID)
        hasher.combine(signedAt)
    }

    /// The store's own name of the product; nil for a payment that names no product, where `productID` is its number.
    package var storeProductID: ProductID? { productID.text == key.externalID.text ? nil : productID }

    /// Every name that the store gave the product; the first that the catalogue knows counts.
    package var productNames: [ProductID] { [productID] + otherNames }

    /// True if the state speaks only of a bill and not of a period that runs.
    package var isOfBill: Bool { bill != nil && expiresAt == nil }

    /// True if the state says that a period runs. An event with quantity 0 says that the period does not run.
    var statesPeriod: Bool { expiresAt != nil && (quantity > 0 || eventID == nil) }

    /// True if both states have the same first name of the product. Other names do not matter, because a lookup key can
    /// move on to another product.
    func namesSameProduct(as other: VerifiedPurchase) -> Bool { productID == other.productID }

    /// True if the two states differ in nothing but their signing dates.
    package func hasSameContent(as other: VerifiedPurchase) -> Bool {
        key == other.key && transactionID == other.transactionID && isOriginal == other.isOriginal
            && periodID == other.periodID && productID == other.productID && otherNames == other.otherNames
            && type == other.type && purchasedAt == other.purchasedAt
            && originallyPurchasedAt == other.originallyPurchasedAt && expiresAt == other.expiresAt
            && quantity == other.quantity && isFamilyShared == other.isFamilyShared && isUpgraded == other.isUpgraded
            && offer == other.offer && subscriptionGroup == other.subscriptionGroup
            && suspension == other.suspension && price == other.price && revocation == other.revocation
            && accountToken == other.accountToken && account == other.account && eventID == other.eventID
            && item == other.item && bill == other.bill && isBought == other.isBought
    }
}

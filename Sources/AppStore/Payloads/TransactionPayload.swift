/// Apple's `JWSTransactionDecodedPayload` with Apple's member names (`apple.md` §2.1). Instants are milliseconds since
/// the epoch.
///
/// A value is authentic only inside a ``VerifiedTransaction``. That type also has the environment, because the
/// environment is checked last.
package struct TransactionPayload: Hashable, Sendable {
    /// The quantities that Apple sells of a product at a time.
    package static let quantities: ClosedRange<Int64> = 1...10

    package let transactionId: String
    package let originalTransactionId: String
    package let webOrderLineItemId: String?
    package let bundleId: String
    package let productId: String
    package let type: ProductType
    package let subscriptionGroupIdentifier: String?
    /// The quantity; 1 when absent.
    package let quantity: Int
    /// The purchase date. It may lie after ``signedDate``, because Apple signs a renewal before it begins (`apple.md`
    /// §2.1).
    package let purchaseDate: Int64
    package let originalPurchaseDate: Int64?
    /// The end of the period; only for auto-renewable subscriptions.
    package let expiresDate: Int64?
    package let signedDate: Int64
    package let inAppOwnershipType: OwnershipType?
    /// The account token that the client set. It is a claim and proves nothing (`semantics.md` §5).
    package let appAccountToken: String?
    package let appTransactionId: String?
    package let isUpgraded: Bool?
    package let revocationDate: Int64?
    package let revocationReason: RevocationReason?
    package let revocationType: RevocationType?
    /// The refunded share in thousandths of a percent. It is not checked here: a value outside 0…100000 is an anomaly
    /// (`semantics.md` §2).
    package let revocationPercentage: Int64?
    package let offerType: OfferType?
    package let offerIdentifier: String?
    package let offerDiscountType: OfferDiscountType?
    /// The length as an ISO 8601 duration.
    package let offerPeriod: String?
    package let transactionReason: TransactionReason?
    /// The country's code by ISO 3166-1 alpha-3.
    package let storefront: String?
    package let storefrontId: String?
    /// The price of the whole quantity, in thousandths of the currency's unit.
    package let price: Int64?
    /// The currency's code by ISO 4217.
    package let currency: String?
    package let billingPlanType: BillingPlanType?
    /// The names of members that affect no decision and had another type than Apple documents. Their values are nil
    /// here.
    package let unreadable: [String]

    /// Reads the members.
    ///
    /// - Throws: `payload_malformed` if a required member is absent, or if a member that affects a decision has another
    ///   type or is out of range.
    init(_ payload: PayloadReader) throws(EvidenceError) {
        transactionId = try payload.required("transactionId", payload.identifier("transactionId"))
        originalTransactionId = try payload.required(
            "originalTransactionId", payload.identifier("originalTransactionId"))
        webOrderLineItemId = try payload.identifier("webOrderLineItemId")
        bundleId = try payload.required("bundleId", payload.text("bundleId"))
        productId = try payload.required("productId", payload.identifier("productId"))
        type = ProductType(rawValue: try payload.required("type", payload.text("type")))
        quantity = Int(try payload.integer("quantity", in: Self.quantities) ?? 1)
        purchaseDate = try payload.required("purchaseDate", payload.instant("purchaseDate"))
        originalPurchaseDate = try payload.instant("originalPurchaseDate")
        expiresDate = try payload.instant("expiresDate")
        signedDate = try payload.required("signedDate", payload.instant("signedDate"))
        inAppOwnershipType = try payload.text("inAppOwnershipType").map(OwnershipType.init(rawValue:))
        appAccountToken = try payload.text("appAccountToken")
        appTransactionId = try payload.text("appTransactionId")
        isUpgraded = try payload.flag("isUpgraded")
        revocationDate = try payload.instant("revocationDate")
        revocationType = try payload.text("revocationType").map(RevocationType.init(rawValue:))
        revocationPercentage = try payload.integer("revocationPercentage")

        var remarks = TolerantReader(payload)
        subscriptionGroupIdentifier = remarks.text("subscriptionGroupIdentifier")
        revocationReason = remarks.integer("revocationReason").map(RevocationReason.init(rawValue:))
        offerType = remarks.integer("offerType").map(OfferType.init(rawValue:))
        offerIdentifier = remarks.text("offerIdentifier")
        offerDiscountType = remarks.text("offerDiscountType").map(OfferDiscountType.init(rawValue:))
        offerPeriod = remarks.text("offerPeriod")
        transactionReason = remarks.text("transactionReason").map(TransactionReason.init(rawValue:))
        storefront = remarks.text("storefront")
        storefrontId = remarks.text("storefrontId")
        price = remarks.integer("price")
        currency = remarks.text("currency")
        billingPlanType = remarks.text("billingPlanType").map(BillingPlanType.init(rawValue:))
        unreadable = remarks.unreadable
    }
}

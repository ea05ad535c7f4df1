/// Apple's `JWSTransactionDecodedPayload`, names as Apple spells them (`apple.md` §2.1). Instants are milliseconds
/// since the epoch.
///
/// Only ``VerifiedTransaction`` holds an authentic one. The environment stands there, because it is judged last.
package struct TransactionPayload: Hashable, Sendable {
    /// Apple sells 1 to 10 of a product at a time.
    package static let quantities: ClosedRange<Int64> = 1...10

    package let transactionId: String
    package let originalTransactionId: String
    package let webOrderLineItemId: String?
    package let bundleId: String
    package let productId: String
    package let type: ProductType
    package let subscriptionGroupIdentifier: String?
    /// 1 when absent.
    package let quantity: Int
    /// May lie after ``signedDate``: a renewal is signed before it begins (`apple.md` §2.1).
    package let purchaseDate: Int64
    package let originalPurchaseDate: Int64?
    /// Only for auto-renewables.
    package let expiresDate: Int64?
    package let signedDate: Int64
    package let inAppOwnershipType: OwnershipType?
    /// The account token that the client set; a claim, never proof (`semantics.md` §5).
    package let appAccountToken: String?
    package let appTransactionId: String?
    package let isUpgraded: Bool?
    package let revocationDate: Int64?
    package let revocationReason: RevocationReason?
    package let revocationType: RevocationType?
    /// Thousandths of a percent. Kept as it is: anything but 0…100000 is an anomaly for the core to judge
    /// (`semantics.md` §2).
    package let revocationPercentage: Int64?
    package let offerType: OfferType?
    package let offerIdentifier: String?
    package let offerDiscountType: OfferDiscountType?
    /// ISO 8601 duration.
    package let offerPeriod: String?
    package let transactionReason: TransactionReason?
    /// ISO 3166-1 alpha-3.
    package let storefront: String?
    package let storefrontId: String?
    /// Thousandths of the currency's unit, for all of the quantity.
    package let price: Int64?
    /// ISO 4217.
    package let currency: String?
    package let billingPlanType: BillingPlanType?
    /// The members that decide nothing and were of another type than Apple documents; they are nil here.
    package let unreadable: [String]

    /// - Throws: `payload_malformed` for a required member that is absent, and any that decides something and is of
    ///   another type or out of range.
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

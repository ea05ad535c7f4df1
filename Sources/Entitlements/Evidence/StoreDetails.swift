/// Details of a transaction that the rules do not read. They are shown to operators, and can be searched.
package struct StoreDetails: Hashable, Sendable {
    /// The type of the product, in the store's word.
    package let productType: String
    /// The cause of the transaction, in the store's word.
    package let reason: String?
    /// The country of the store in which the purchase was made.
    package let storefront: String?
    package let storefrontID: String?
    package let revocationReason: Int?
    package let revocationType: String?
    /// The percentage in the store's own number. The rules use the share of the statement instead.
    package let revocationPercentage: Int64?
    package let offerType: Int?
    package let offerDiscountType: String?
    /// The length of the offer, as an ISO 8601 duration.
    package let offerPeriod: String?
    /// The way in which a plan with a commitment is billed, in the store's word.
    package let billingPlanType: String?
    package let webOrderLineItemID: String?

    package init(
        productType: String, reason: String? = nil, storefront: String? = nil, storefrontID: String? = nil,
        revocationReason: Int? = nil, revocationType: String? = nil, revocationPercentage: Int64? = nil,
        offerType: Int? = nil, offerDiscountType: String? = nil, offerPeriod: String? = nil,
        billingPlanType: String? = nil, webOrderLineItemID: String? = nil
    ) {
        self.productType = productType
        self.reason = reason
        self.storefront = storefront
        self.storefrontID = storefrontID
        self.revocationReason = revocationReason
        self.revocationType = revocationType
        self.revocationPercentage = revocationPercentage
        self.offerType = offerType
        self.offerDiscountType = offerDiscountType
        self.offerPeriod = offerPeriod
        self.billingPlanType = billingPlanType
        self.webOrderLineItemID = webOrderLineItemID
    }
}

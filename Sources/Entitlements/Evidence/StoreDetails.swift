/// A store's details of a transaction beyond its statement: shown and searched, never folded.
package struct StoreDetails: Hashable, Sendable {
    /// In the store's own word.
    package let productType: String
    /// The cause of the transaction, in the store's word.
    package let reason: String?
    /// In which country's store it was made.
    package let storefront: String?
    package let storefrontID: String?
    package let revocationReason: Int?
    package let revocationType: String?
    /// The store's percentage; the share that it comes to is the statement's.
    package let revocationPercentage: Int64?
    package let offerType: Int?
    package let offerDiscountType: String?
    /// ISO 8601 duration.
    package let offerPeriod: String?
    /// How a commitment is billed.
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

/// Apple's `JWSRenewalInfoDecodedPayload` with Apple's member names (`apple.md` §2.2). Instants are milliseconds since
/// the epoch.
///
/// A value is authentic only inside a ``VerifiedRenewalInfo``. The payload names no app.
package struct RenewalInfoPayload: Hashable, Sendable {
    package let originalTransactionId: String
    /// The product of the next period.
    package let autoRenewProductId: String?
    /// The product of the present period.
    package let productId: String?
    package let autoRenewStatus: AutoRenewStatus
    package let signedDate: Int64
    /// The end of the present period, also if the subscription will not renew.
    package let renewalDate: Int64?
    /// The price in thousandths of the currency's unit.
    package let renewalPrice: Int64?
    /// The currency's code by ISO 4217.
    package let currency: String?
    package let recentSubscriptionStartDate: Int64?
    package let expirationIntent: ExpirationIntent?
    package let isInBillingRetryPeriod: Bool?
    /// The end of the grace period; the customer has access until then.
    package let gracePeriodExpiresDate: Int64?
    package let priceIncreaseStatus: PriceIncreaseStatus?
    package let offerType: OfferType?
    package let offerIdentifier: String?
    package let offerDiscountType: OfferDiscountType?
    /// The length as an ISO 8601 duration.
    package let offerPeriod: String?
    package let eligibleWinBackOfferIds: [String]
    package let appAccountToken: String?
    package let appTransactionId: String?
    package let renewalBillingPlanType: BillingPlanType?

    /// Reads the members.
    ///
    /// - Throws: `payload_malformed` if a required member is absent, or if a member has another type or is out of
    ///   range.
    init(_ payload: PayloadReader) throws(EvidenceError) {
        originalTransactionId = try payload.required(
            "originalTransactionId", payload.identifier("originalTransactionId"))
        autoRenewProductId = try payload.identifier("autoRenewProductId")
        productId = try payload.identifier("productId")
        autoRenewStatus = AutoRenewStatus(
            rawValue: try payload.required("autoRenewStatus", payload.integer("autoRenewStatus")))
        signedDate = try payload.required("signedDate", payload.instant("signedDate"))
        renewalDate = try payload.instant("renewalDate")
        renewalPrice = try payload.integer("renewalPrice")
        currency = try payload.text("currency")
        recentSubscriptionStartDate = try payload.instant("recentSubscriptionStartDate")
        expirationIntent = try payload.integer("expirationIntent").map(ExpirationIntent.init(rawValue:))
        isInBillingRetryPeriod = try payload.flag("isInBillingRetryPeriod")
        gracePeriodExpiresDate = try payload.instant("gracePeriodExpiresDate")
        priceIncreaseStatus = try payload.integer("priceIncreaseStatus").map(PriceIncreaseStatus.init(rawValue:))
        offerType = try payload.integer("offerType").map(OfferType.init(rawValue:))
        offerIdentifier = try payload.text("offerIdentifier")
        offerDiscountType = try payload.text("offerDiscountType").map(OfferDiscountType.init(rawValue:))
        offerPeriod = try payload.text("offerPeriod")
        eligibleWinBackOfferIds = try payload.texts("eligibleWinBackOfferIds") ?? []
        appAccountToken = try payload.text("appAccountToken")
        appTransactionId = try payload.text("appTransactionId")
        renewalBillingPlanType = try payload.text("renewalBillingPlanType").map(BillingPlanType.init(rawValue:))
    }
}

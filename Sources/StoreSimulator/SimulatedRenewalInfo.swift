package import Entitlements
package import AppStore

/// Renewal info as the App Store would sign it beside a subscription's transaction (`apple.md` §2.2).
package struct SimulatedRenewalInfo: Sendable {
    package var originalTransactionId: String
    package var autoRenewProductId: String
    package var productId: String
    package var autoRenewStatus = AutoRenewStatus.on
    package var signedDate: Int64
    package var renewalDate: Int64?
    package var renewalPrice: Int64?
    package var currency: String?
    package var recentSubscriptionStartDate: Int64?
    package var expirationIntent: ExpirationIntent?
    package var isInBillingRetryPeriod: Bool?
    package var gracePeriodExpiresDate: Int64?
    package var priceIncreaseStatus: PriceIncreaseStatus?
    package var offerType: OfferType?
    package var offerIdentifier: String?
    package var offerDiscountType: OfferDiscountType?
    package var offerPeriod: String?
    package var eligibleWinBackOfferIds: [String] = []
    package var environment: StoreEnvironment
    package var appAccountToken: String?
    package var appTransactionId: String?

    /// The renewal info of a subscription that renews with the same product and price.
    package init(for transaction: SimulatedTransaction) {
        self.originalTransactionId = transaction.originalTransactionId
        self.autoRenewProductId = transaction.productId
        self.productId = transaction.productId
        self.signedDate = transaction.signedDate
        self.renewalDate = transaction.expiresDate
        self.renewalPrice = transaction.price
        self.currency = transaction.currency
        self.recentSubscriptionStartDate = transaction.originalPurchaseDate
        self.environment = transaction.environment
        self.appAccountToken = transaction.appAccountToken
        self.appTransactionId = transaction.appTransactionId
    }

    /// The members that get signed.
    package var payload: SimulatedPayload {
        var payload = SimulatedPayload()
        payload.add("originalTransactionId", originalTransactionId)
        payload.add("autoRenewProductId", autoRenewProductId)
        payload.add("productId", productId)
        payload.add("autoRenewStatus", autoRenewStatus.rawValue)
        payload.add("renewalPrice", renewalPrice)
        payload.add("currency", currency)
        payload.add("signedDate", signedDate)
        payload.add("environment", environment.rawValue)
        payload.add("recentSubscriptionStartDate", recentSubscriptionStartDate)
        payload.add("renewalDate", renewalDate)
        payload.add("expirationIntent", expirationIntent?.rawValue)
        payload.add("isInBillingRetryPeriod", isInBillingRetryPeriod)
        payload.add("gracePeriodExpiresDate", gracePeriodExpiresDate)
        payload.add("priceIncreaseStatus", priceIncreaseStatus?.rawValue)
        payload.add("offerType", offerType?.rawValue)
        payload.add("offerIdentifier", offerIdentifier)
        payload.add("offerDiscountType", offerDiscountType?.rawValue)
        payload.add("offerPeriod", offerPeriod)
        if !eligibleWinBackOfferIds.isEmpty {
            payload["eligibleWinBackOfferIds"] = .array(eligibleWinBackOfferIds.map { .string($0) })
        }
        payload.add("appAccountToken", appAccountToken)
        payload.add("appTransactionId", appTransactionId)
        return payload
    }
}

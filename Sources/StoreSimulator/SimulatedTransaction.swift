package import Entitlements
package import AppStore

/// A transaction as the App Store would describe it (`apple.md` §2.1). `payload` gives the members to sign.
///
/// The initialiser makes a first purchase in the Sandbox. The functions derive later states of the same purchase. Each
/// state has its own signing date, because the App Store signs anew at every request.
package struct SimulatedTransaction: Sendable {
    package var transactionId: String
    package var originalTransactionId: String
    package var webOrderLineItemId: String?
    package var bundleId: String
    package var productId: String
    package var type: ProductType
    package var subscriptionGroupIdentifier: String?
    package var quantity: Int64 = 1
    package var purchaseDate: Int64
    package var originalPurchaseDate: Int64
    package var expiresDate: Int64?
    package var signedDate: Int64
    package var environment = StoreEnvironment.sandbox
    package var inAppOwnershipType = OwnershipType.purchased
    package var appAccountToken: String?
    package var appTransactionId: String? = "704897469903383919"
    package var isUpgraded: Bool?
    package var revocationDate: Int64?
    package var revocationReason: RevocationReason?
    package var revocationType: RevocationType?
    package var revocationPercentage: Int64?
    package var offerType: OfferType?
    package var offerIdentifier: String?
    package var offerDiscountType: OfferDiscountType?
    package var offerPeriod: String?
    package var transactionReason = TransactionReason.purchase
    package var storefront = "USA"
    package var storefrontId = "143441"
    package var price: Int64? = 4990
    package var currency: String? = "USD"

    /// A first purchase.
    ///
    /// - Parameters:
    ///   - purchaseDate: The purchase date in milliseconds since the epoch; the signing date is a second later.
    package init(
        _ transactionId: String, of productId: String, type: ProductType, bundleId: String, at purchaseDate: Int64
    ) {
        self.transactionId = transactionId
        self.originalTransactionId = transactionId
        self.bundleId = bundleId
        self.productId = productId
        self.type = type
        self.purchaseDate = purchaseDate
        self.originalPurchaseDate = purchaseDate
        self.signedDate = purchaseDate + 1000
    }

    /// The first period of an auto-renewable subscription.
    package static func subscription(
        _ transactionId: String, of productId: String, group: String, bundleId: String, at purchaseDate: Int64,
        until expiresDate: Int64
    ) -> Self {
        var transaction = Self(
            transactionId, of: productId, type: .autoRenewableSubscription, bundleId: bundleId, at: purchaseDate)
        transaction.subscriptionGroupIdentifier = group
        transaction.webOrderLineItemId = transactionId + "1"
        transaction.expiresDate = expiresDate
        return transaction
    }

    /// The next period of an auto-renewable subscription.
    package func renewed(as transactionId: String, until expiresDate: Int64) -> Self {
        var transaction = self
        transaction.transactionId = transactionId
        transaction.webOrderLineItemId = transactionId + "1"
        transaction.purchaseDate = self.expiresDate ?? purchaseDate
        transaction.expiresDate = expiresDate
        transaction.signedDate = transaction.purchaseDate + 1000
        transaction.transactionReason = .renewal
        return transaction
    }

    /// This state with another signing date.
    package func signed(at signedDate: Int64) -> Self {
        var transaction = self
        transaction.signedDate = signedDate
        return transaction
    }

    /// This purchase refunded. `percentage` is in thousandths of a percent; 100000 is a full refund.
    package func refunded(
        at revocationDate: Int64, percentage: Int64 = 100_000, reason: RevocationReason = .other
    ) -> Self {
        var transaction = signed(at: revocationDate + 1000)
        transaction.revocationDate = revocationDate
        transaction.revocationReason = reason
        transaction.revocationType = percentage == 100_000 ? .fullRefund : .proratedRefund
        transaction.revocationPercentage = percentage
        return transaction
    }

    /// This purchase as a copy that another family member bought and shares.
    package func familyShared() -> Self {
        var transaction = self
        transaction.inAppOwnershipType = .familyShared
        transaction.appAccountToken = nil
        return transaction
    }

    /// This family copy after its access was withdrawn.
    package func familyRevoked(at revocationDate: Int64) -> Self {
        var transaction = refunded(at: revocationDate)
        transaction.revocationType = .familyRevoke
        transaction.revocationPercentage = nil
        return transaction
    }

    /// This purchase after its refund was reversed: the members about the refund are gone (`apple.md` §3.10).
    package func reversed(at signedDate: Int64) -> Self {
        var transaction = signed(at: signedDate)
        transaction.revocationDate = nil
        transaction.revocationReason = nil
        transaction.revocationType = nil
        transaction.revocationPercentage = nil
        return transaction
    }

    /// The members that get signed.
    package var payload: SimulatedPayload {
        var payload = SimulatedPayload()
        payload.add("transactionId", transactionId)
        payload.add("originalTransactionId", originalTransactionId)
        payload.add("webOrderLineItemId", webOrderLineItemId)
        payload.add("bundleId", bundleId)
        payload.add("productId", productId)
        payload.add("subscriptionGroupIdentifier", subscriptionGroupIdentifier)
        payload.add("purchaseDate", purchaseDate)
        payload.add("originalPurchaseDate", originalPurchaseDate)
        payload.add("expiresDate", expiresDate)
        payload.add("quantity", quantity)
        payload.add("type", type.rawValue)
        payload.add("appAccountToken", appAccountToken)
        payload.add("inAppOwnershipType", inAppOwnershipType.rawValue)
        payload.add("signedDate", signedDate)
        payload.add("revocationReason", revocationReason?.rawValue)
        payload.add("revocationDate", revocationDate)
        payload.add("revocationType", revocationType?.rawValue)
        payload.add("revocationPercentage", revocationPercentage)
        payload.add("isUpgraded", isUpgraded)
        payload.add("offerType", offerType?.rawValue)
        payload.add("offerIdentifier", offerIdentifier)
        payload.add("offerDiscountType", offerDiscountType?.rawValue)
        payload.add("offerPeriod", offerPeriod)
        payload.add("environment", environment.rawValue)
        payload.add("transactionReason", transactionReason.rawValue)
        payload.add("storefront", storefront)
        payload.add("storefrontId", storefrontId)
        payload.add("price", price)
        payload.add("currency", currency)
        payload.add("appTransactionId", appTransactionId)
        return payload
    }
}

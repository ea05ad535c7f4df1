package import Entitlements

/// The `data` of a notification: a transaction, and the renewal info of its subscription (`apple.md` §2.4).
package struct NotificationData: Hashable, Sendable {
    package let bundleId: String?
    /// The app's number in the App Store. Apple documents it for Production; Sandbox has it too, except in a test
    /// (`apple.md` §2.4).
    package let appAppleId: Int64?
    package let bundleVersion: String?
    package let environment: StoreEnvironment?
    /// The transaction, signed on its own; absent from a test notification.
    package let signedTransactionInfo: SignedTransaction?
    /// The renewal info, signed on its own; only for auto-renewable subscriptions.
    package let signedRenewalInfo: SignedRenewalInfo?
    package let status: SubscriptionStatus?
    package let consumptionRequestReason: ConsumptionRequestReason?

    /// Reads the members.
    ///
    /// - Throws: `payload_malformed` if a member has another type or is out of range.
    init(_ payload: PayloadReader) throws(EvidenceError) {
        bundleId = try payload.text("bundleId")
        appAppleId = try payload.integer("appAppleId")
        bundleVersion = try payload.text("bundleVersion")
        environment = payload.environment("environment")
        signedTransactionInfo = try payload.text("signedTransactionInfo").map(SignedTransaction.init)
        signedRenewalInfo = try payload.text("signedRenewalInfo").map(SignedRenewalInfo.init)
        status = try payload.integer("status").map(SubscriptionStatus.init(rawValue:))
        consumptionRequestReason = try payload.text("consumptionRequestReason").map(
            ConsumptionRequestReason.init(rawValue:))
    }
}

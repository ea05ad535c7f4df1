package import Entitlements

/// The `data` of a notification: an app's transaction and what goes with it (`apple.md` §2.4).
package struct NotificationData: Hashable, Sendable {
    package let bundleId: String?
    /// Documented as Production's, present in Sandbox too, absent from a Sandbox test (`apple.md` §2.4).
    package let appAppleId: Int64?
    package let bundleVersion: String?
    package let environment: StoreEnvironment?
    /// Signed on its own; absent from a test.
    package let signedTransactionInfo: SignedTransaction?
    /// Signed on its own; auto-renewables only.
    package let signedRenewalInfo: SignedRenewalInfo?
    package let status: SubscriptionStatus?
    package let consumptionRequestReason: ConsumptionRequestReason?

    /// - Throws: `payload_malformed` for a required member that is absent, and any that is of another type or out of
    ///   range.
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

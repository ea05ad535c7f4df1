package import Entitlements

/// The `appData` of a notification: an app as a customer downloaded it (`apple.md` §2.4).
package struct NotificationAppData: Hashable, Sendable {
    package let bundleId: String?
    package let appAppleId: Int64?
    package let environment: StoreEnvironment?
    /// Signed on its own.
    package let signedAppTransactionInfo: SignedAppTransaction?

    /// - Throws: `payload_malformed` for a required member that is absent, and any that is of another type or out of
    ///   range.
    init(_ payload: PayloadReader) throws(EvidenceError) {
        bundleId = try payload.text("bundleId")
        appAppleId = try payload.integer("appAppleId")
        environment = payload.environment("environment")
        signedAppTransactionInfo = try payload.text("signedAppTransactionInfo").map(SignedAppTransaction.init)
    }
}

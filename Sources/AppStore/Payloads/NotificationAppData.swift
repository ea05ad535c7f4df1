package import Entitlements

/// The `appData` of a notification: a download of the app by a customer (`apple.md` §2.4).
package struct NotificationAppData: Hashable, Sendable {
    package let bundleId: String?
    package let appAppleId: Int64?
    package let environment: StoreEnvironment?
    /// The app transaction, signed on its own.
    package let signedAppTransactionInfo: SignedAppTransaction?

    /// Reads the members.
    ///
    /// - Throws: `payload_malformed` if a member has another type or is out of range.
    init(_ payload: PayloadReader) throws(EvidenceError) {
        bundleId = try payload.text("bundleId")
        appAppleId = try payload.integer("appAppleId")
        environment = payload.environment("environment")
        signedAppTransactionInfo = try payload.text("signedAppTransactionInfo").map(SignedAppTransaction.init)
    }
}

package import Entitlements
import AppStore

/// An app transaction as the App Store would give it to a device (`apple.md` §2.3).
package struct SimulatedAppTransaction: Sendable {
    package var bundleId: String
    package var appAppleId: Int64?
    package var environment = StoreEnvironment.sandbox
    package var receiptCreationDate: Int64
    package var originalPurchaseDate: Int64
    package var appTransactionId: String? = "704897469903383919"
    package var applicationVersion = "1"
    package var originalApplicationVersion = "1.0"
    package var originalPlatform = "iOS"
    package var revocationDate: Int64?
    package var storeType: String?

    package init(bundleId: String, at receiptCreationDate: Int64) {
        self.bundleId = bundleId
        self.receiptCreationDate = receiptCreationDate
        self.originalPurchaseDate = receiptCreationDate
    }

    /// The members that get signed.
    package var payload: SimulatedPayload {
        var payload = SimulatedPayload()
        payload.add("receiptType", environment.rawValue)
        payload.add("appAppleId", appAppleId)
        payload.add("bundleId", bundleId)
        payload.add("applicationVersion", applicationVersion)
        payload.add("receiptCreationDate", receiptCreationDate)
        payload.add("originalPurchaseDate", originalPurchaseDate)
        payload.add("originalApplicationVersion", originalApplicationVersion)
        payload.add("appTransactionId", appTransactionId)
        payload.add("originalPlatform", originalPlatform)
        payload.add("revocationDate", revocationDate)
        payload.add("storeType", storeType)
        return payload
    }
}

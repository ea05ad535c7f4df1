package import Entitlements

/// The `externalPurchaseToken` of a notification (`apple.md` §2.4).
package struct ExternalPurchaseToken: Hashable, Sendable {
    package let bundleId: String?
    package let appAppleId: Int64?
    package let externalPurchaseId: String
    package let tokenCreationDate: Int64?
    package let tokenType: String?
    package let tokenExpirationDate: Int64?

    /// A token names no environment; Apple's Sandbox begins its ids with `SANDBOX` (`apple.md` §1.6).
    package var environment: StoreEnvironment {
        externalPurchaseId.utf8.starts(with: "SANDBOX".utf8) ? .sandbox : .production
    }

    /// - Throws: `payload_malformed` for a required member that is absent, and any that is of another type or out of
    ///   range.
    init(_ payload: PayloadReader) throws(EvidenceError) {
        bundleId = try payload.text("bundleId")
        appAppleId = try payload.integer("appAppleId")
        externalPurchaseId = try payload.required("externalPurchaseId", payload.text("externalPurchaseId"))
        tokenCreationDate = try payload.instant("tokenCreationDate")
        tokenType = try payload.text("tokenType")
        tokenExpirationDate = try payload.instant("tokenExpirationDate")
    }
}

package import Entitlements

/// The `externalPurchaseToken` of a notification: a purchase outside the App Store (`apple.md` §2.4).
package struct ExternalPurchaseToken: Hashable, Sendable {
    package let bundleId: String?
    package let appAppleId: Int64?
    package let externalPurchaseId: String
    package let tokenCreationDate: Int64?
    package let tokenType: String?
    package let tokenExpirationDate: Int64?

    /// The environment. A token does not name it, but ids of Apple's Sandbox begin with `SANDBOX` (`apple.md` §1.6).
    package var environment: StoreEnvironment {
        externalPurchaseId.utf8.starts(with: "SANDBOX".utf8) ? .sandbox : .production
    }

    /// Reads the members.
    ///
    /// - Throws: `payload_malformed` if a required member is absent, or if a member has another type or is out of
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

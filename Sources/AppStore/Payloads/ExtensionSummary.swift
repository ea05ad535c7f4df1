package import Entitlements

/// The `summary` of a notification: how a mass extension of renewal dates went (`apple.md` §2.4).
package struct ExtensionSummary: Hashable, Sendable {
    package let bundleId: String?
    package let appAppleId: Int64?
    package let environment: StoreEnvironment?
    package let productId: String?
    package let requestIdentifier: String?
    /// Country codes by ISO 3166-1 alpha-3; empty when absent.
    package let storefrontCountryCodes: [String]
    package let succeededCount: Int64?
    package let failedCount: Int64?

    /// Reads the members.
    ///
    /// - Throws: `payload_malformed` if a member has another type or is out of range.
    init(_ payload: PayloadReader) throws(EvidenceError) {
        bundleId = try payload.text("bundleId")
        appAppleId = try payload.integer("appAppleId")
        environment = payload.environment("environment")
        productId = try payload.text("productId")
        requestIdentifier = try payload.text("requestIdentifier")
        storefrontCountryCodes = try payload.texts("storefrontCountryCodes") ?? []
        succeededCount = try payload.integer("succeededCount")
        failedCount = try payload.integer("failedCount")
    }
}

/// Apple's `AppTransaction` with Apple's member names (`apple.md` §2.3). Instants are milliseconds since the epoch.
///
/// A value is authentic only inside a ``VerifiedAppTransaction``. That type also has the environment, whose member is
/// here called `receiptType`.
package struct AppTransactionPayload: Hashable, Sendable {
    package let bundleId: String
    /// The app's number in the App Store; absent outside Production.
    package let appAppleId: Int64?
    /// The instant at which Apple signed; an app transaction has no `signedDate`.
    package let receiptCreationDate: Int64
    /// The Apple account in this app; older systems leave it out.
    package let appTransactionId: String?
    /// The instant at which Apple took the download back; nil if it did not.
    package let revocationDate: Int64?
    package let applicationVersion: String?
    package let versionExternalIdentifier: Int64?
    package let originalApplicationVersion: String?
    package let originalPurchaseDate: Int64?
    package let preorderDate: Int64?
    /// `iOS`, `macOS`, `tvOS`, `visionOS`, or a platform that Apple adds later.
    package let originalPlatform: String?
    /// `consumer`, `education` or `enterprise`: whose managed account it may be. Older systems leave it out.
    package let storeType: String?

    /// Reads the members.
    ///
    /// - Throws: `payload_malformed` if a required member is absent, or if a member that affects a decision has another
    ///   type or is out of range.
    init(_ payload: PayloadReader) throws(EvidenceError) {
        bundleId = try payload.required("bundleId", payload.text("bundleId"))
        appAppleId = try payload.integer("appAppleId")
        receiptCreationDate = try payload.required("receiptCreationDate", payload.instant("receiptCreationDate"))
        appTransactionId = try payload.identifier("appTransactionId")
        revocationDate = try payload.instant("revocationDate")

        var remarks = TolerantReader(payload)
        applicationVersion = remarks.text("applicationVersion")
        versionExternalIdentifier = remarks.integer("versionExternalIdentifier")
        originalApplicationVersion = remarks.text("originalApplicationVersion")
        originalPurchaseDate = remarks.instant("originalPurchaseDate")
        preorderDate = remarks.instant("preorderDate")
        originalPlatform = remarks.text("originalPlatform")
        storeType = remarks.text("storeType")
    }
}

/// Apple's `AppTransaction`, names as Apple spells them (`apple.md` §2.3). Instants are milliseconds since the epoch.
///
/// Only ``VerifiedAppTransaction`` holds an authentic one. The environment, here called `receiptType`, stands there.
package struct AppTransactionPayload: Hashable, Sendable {
    package let bundleId: String
    /// Absent outside Production.
    package let appAppleId: Int64?
    /// Takes the place of `signedDate`.
    package let receiptCreationDate: Int64
    /// The Apple account in this app; absent from texts of older systems.
    package let appTransactionId: String?
    package let applicationVersion: String?
    package let versionExternalIdentifier: Int64?
    package let originalApplicationVersion: String?
    package let originalPurchaseDate: Int64?
    package let preorderDate: Int64?
    /// `iOS`, `macOS`, `tvOS`, `visionOS` and what may follow.
    package let originalPlatform: String?

    /// - Throws: `payload_malformed` for a required member that is absent, and any that decides something and is of
    ///   another type or out of range.
    init(_ payload: PayloadReader) throws(EvidenceError) {
        bundleId = try payload.required("bundleId", payload.text("bundleId"))
        appAppleId = try payload.integer("appAppleId")
        receiptCreationDate = try payload.required("receiptCreationDate", payload.instant("receiptCreationDate"))
        appTransactionId = try payload.identifier("appTransactionId")

        var remarks = TolerantReader(payload)
        applicationVersion = remarks.text("applicationVersion")
        versionExternalIdentifier = remarks.integer("versionExternalIdentifier")
        originalApplicationVersion = remarks.text("originalApplicationVersion")
        originalPurchaseDate = remarks.instant("originalPurchaseDate")
        preorderDate = remarks.instant("preorderDate")
        originalPlatform = remarks.text("originalPlatform")
    }
}

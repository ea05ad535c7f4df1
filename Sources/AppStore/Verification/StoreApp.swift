/// An app whose evidence is accepted.
package struct StoreApp: Hashable, Sendable {
    package let bundleId: String
    /// The app's number in the App Store. If it is configured, Production notifications and app transactions must name
    /// it. A transaction does not carry the number (`apple.md` §1.6).
    package let appAppleId: Int64?

    package init(bundleId: String, appAppleId: Int64? = nil) {
        self.bundleId = bundleId
        self.appAppleId = appAppleId
    }

    /// True if a payload names this app. The comparison is by bytes, because `String` also equates different Unicode
    /// spellings.
    func isNamed(_ bundleId: String) -> Bool {
        self.bundleId.utf8.elementsEqual(bundleId.utf8)
    }
}

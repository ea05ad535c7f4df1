/// An app whose evidence counts here.
package struct StoreApp: Hashable, Sendable {
    package let bundleId: String
    /// The App Store's number. If it is known, Production notifications and app transactions must name it; a
    /// transaction does not carry it (`apple.md` §1.6).
    package let appAppleId: Int64?

    package init(bundleId: String, appAppleId: Int64? = nil) {
        self.bundleId = bundleId
        self.appAppleId = appAppleId
    }

    /// True if a payload names this app, byte for byte: `String` would also equate canonically equivalent spellings.
    func isNamed(_ bundleId: String) -> Bool {
        self.bundleId.utf8.elementsEqual(bundleId.utf8)
    }
}

/// Why Apple took a purchase back.
///
/// Open: a value that is not named here is kept as it is.
package struct RevocationReason: RawRepresentable, Hashable, Sendable {
    /// Accidental purchase, family reasons and the like.
    package static let other = Self(rawValue: 0)
    /// An actual or perceived problem in the app.
    package static let appIssue = Self(rawValue: 1)

    package let rawValue: Int64

    package init(rawValue: Int64) {
        self.rawValue = rawValue
    }
}

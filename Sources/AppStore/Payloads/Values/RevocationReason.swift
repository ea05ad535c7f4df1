/// Apple's reason to take a purchase back.
///
/// A value that has no name here is kept as Apple wrote it.
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

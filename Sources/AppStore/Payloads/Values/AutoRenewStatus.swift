/// Whether a subscription will renew.
///
/// Open: a value that is not named here is kept as it is.
package struct AutoRenewStatus: RawRepresentable, Hashable, Sendable {
    /// It ends with its period.
    package static let off = Self(rawValue: 0)
    /// It renews.
    package static let on = Self(rawValue: 1)

    package let rawValue: Int64

    package init(rawValue: Int64) {
        self.rawValue = rawValue
    }
}

/// The customer's answer to a price increase.
///
/// Open: a value that is not named here is kept as it is.
package struct PriceIncreaseStatus: RawRepresentable, Hashable, Sendable {
    /// Not yet.
    package static let pending = Self(rawValue: 0)
    /// Consented, or informed where consent is not needed.
    package static let consented = Self(rawValue: 1)

    package let rawValue: Int64

    package init(rawValue: Int64) {
        self.rawValue = rawValue
    }
}

/// The customer's answer to a price increase.
///
/// A value that has no name here is kept as Apple wrote it.
package struct PriceIncreaseStatus: RawRepresentable, Hashable, Sendable {
    /// The customer has not answered yet.
    package static let pending = Self(rawValue: 0)
    /// The customer consented, or was informed where no consent is needed.
    package static let consented = Self(rawValue: 1)

    package let rawValue: Int64

    package init(rawValue: Int64) {
        self.rawValue = rawValue
    }
}

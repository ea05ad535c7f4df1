/// The kind of offer that gave the price.
///
/// A value that has no name here is kept as Apple wrote it.
package struct OfferType: RawRepresentable, Hashable, Sendable {
    /// Introductory offer.
    package static let introductory = Self(rawValue: 1)
    /// Promotional offer.
    package static let promotional = Self(rawValue: 2)
    /// Offer code.
    package static let offerCode = Self(rawValue: 3)
    /// Win-back offer.
    package static let winBack = Self(rawValue: 4)

    package let rawValue: Int64

    package init(rawValue: Int64) {
        self.rawValue = rawValue
    }
}

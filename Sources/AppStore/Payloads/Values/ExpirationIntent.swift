/// The reason why a subscription ended.
///
/// A value that has no name here is kept as Apple wrote it.
package struct ExpirationIntent: RawRepresentable, Hashable, Sendable {
    /// The customer cancelled.
    package static let customerCancelled = Self(rawValue: 1)
    /// Billing failed.
    package static let billingError = Self(rawValue: 2)
    /// The customer did not consent to a higher price.
    package static let priceIncreaseDeclined = Self(rawValue: 3)
    /// The product was not for sale at renewal.
    package static let productUnavailable = Self(rawValue: 4)
    /// Another reason.
    package static let other = Self(rawValue: 5)

    package let rawValue: Int64

    package init(rawValue: Int64) {
        self.rawValue = rawValue
    }
}

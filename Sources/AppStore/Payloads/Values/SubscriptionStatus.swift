/// State of an auto-renewable subscription in notification data.
///
/// Open: a value that is not named here is kept as it is.
package struct SubscriptionStatus: RawRepresentable, Hashable, Sendable {
    package static let active = Self(rawValue: 1)
    package static let expired = Self(rawValue: 2)
    /// Apple retries the billing.
    package static let billingRetry = Self(rawValue: 3)
    package static let gracePeriod = Self(rawValue: 4)
    package static let revoked = Self(rawValue: 5)

    package let rawValue: Int64

    package init(rawValue: Int64) {
        self.rawValue = rawValue
    }
}

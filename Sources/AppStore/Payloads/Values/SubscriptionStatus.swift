/// The state of an auto-renewable subscription in the data of a notification.
///
/// A value that has no name here is kept as Apple wrote it.
package struct SubscriptionStatus: RawRepresentable, Hashable, Sendable {
    package static let active = Self(rawValue: 1)
    package static let expired = Self(rawValue: 2)
    /// Billing failed, and Apple tries again.
    package static let billingRetry = Self(rawValue: 3)
    package static let gracePeriod = Self(rawValue: 4)
    package static let revoked = Self(rawValue: 5)

    package let rawValue: Int64

    package init(rawValue: Int64) {
        self.rawValue = rawValue
    }
}

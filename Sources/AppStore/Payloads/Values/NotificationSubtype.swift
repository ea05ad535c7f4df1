/// The details of a notification's type (`apple.md` §4.1).
///
/// A value that has no name here is kept as Apple wrote it.
package struct NotificationSubtype: RawRepresentable, Hashable, Sendable {
    /// The customer subscribed in this group for the first time.
    package static let initialBuy = Self(rawValue: "INITIAL_BUY")
    /// The customer subscribed again after the subscription had expired.
    package static let resubscribe = Self(rawValue: "RESUBSCRIBE")
    /// The customer moved to a higher level, at once.
    package static let upgrade = Self(rawValue: "UPGRADE")
    /// The customer moved to a lower level, from the next renewal on.
    package static let downgrade = Self(rawValue: "DOWNGRADE")
    /// The customer switched renewal on.
    package static let autoRenewEnabled = Self(rawValue: "AUTO_RENEW_ENABLED")
    /// Renewal was switched off.
    package static let autoRenewDisabled = Self(rawValue: "AUTO_RENEW_DISABLED")
    /// Billing failed, and the subscription is in its grace period.
    package static let gracePeriod = Self(rawValue: "GRACE_PERIOD")
    /// Billing failed before and succeeded now.
    package static let billingRecovery = Self(rawValue: "BILLING_RECOVERY")
    /// The customer ended the subscription.
    package static let voluntary = Self(rawValue: "VOLUNTARY")
    /// The subscription ended because billing kept failing.
    package static let billingRetry = Self(rawValue: "BILLING_RETRY")
    /// The subscription ended because the customer did not consent to a higher price.
    package static let priceIncrease = Self(rawValue: "PRICE_INCREASE")
    /// The subscription ended because the product was not for sale any more.
    package static let productNotForSale = Self(rawValue: "PRODUCT_NOT_FOR_SALE")
    /// Apple asked the customer to consent to a higher price.
    package static let pending = Self(rawValue: "PENDING")
    /// The customer consented to a higher price, or does not have to.
    package static let accepted = Self(rawValue: "ACCEPTED")
    /// Apple has finished a mass extension of renewal dates.
    package static let summary = Self(rawValue: "SUMMARY")
    /// Apple could not extend the renewal date of one customer.
    package static let failure = Self(rawValue: "FAILURE")

    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }
}

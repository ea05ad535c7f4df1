/// The details of a notification's type (`apple.md` §4.1).
///
/// Open: a value that is not named here is kept as it is.
package struct NotificationSubtype: RawRepresentable, Hashable, Sendable {
    /// First subscription in the group.
    package static let initialBuy = Self(rawValue: "INITIAL_BUY")
    /// Back after expiry.
    package static let resubscribe = Self(rawValue: "RESUBSCRIBE")
    /// To a higher level, at once.
    package static let upgrade = Self(rawValue: "UPGRADE")
    /// To a lower level, at the next renewal.
    package static let downgrade = Self(rawValue: "DOWNGRADE")
    /// Renewal switched on.
    package static let autoRenewEnabled = Self(rawValue: "AUTO_RENEW_ENABLED")
    /// Renewal switched off.
    package static let autoRenewDisabled = Self(rawValue: "AUTO_RENEW_DISABLED")
    /// Billing failed; in grace.
    package static let gracePeriod = Self(rawValue: "GRACE_PERIOD")
    /// A retry succeeded.
    package static let billingRecovery = Self(rawValue: "BILLING_RECOVERY")
    /// Ended by the customer.
    package static let voluntary = Self(rawValue: "VOLUNTARY")
    /// Ended because billing kept failing.
    package static let billingRetry = Self(rawValue: "BILLING_RETRY")
    /// Ended because the customer did not consent to a higher price.
    package static let priceIncrease = Self(rawValue: "PRICE_INCREASE")
    /// Ended because the product was not for sale any more.
    package static let productNotForSale = Self(rawValue: "PRODUCT_NOT_FOR_SALE")
    /// The customer's consent to a higher price was asked for.
    package static let pending = Self(rawValue: "PENDING")
    /// The customer consented to a higher price, or need not.
    package static let accepted = Self(rawValue: "ACCEPTED")
    /// A mass extension is done.
    package static let summary = Self(rawValue: "SUMMARY")
    /// An extension failed for one customer.
    package static let failure = Self(rawValue: "FAILURE")

    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }
}

/// The change that a notification reports (`apple.md` §4.1).
///
/// A value that has no name here is kept as Apple wrote it.
package struct NotificationType: RawRepresentable, Hashable, Sendable {
    /// A subscription began or came back.
    package static let subscribed = Self(rawValue: "SUBSCRIBED")
    /// A subscription renewed.
    package static let didRenew = Self(rawValue: "DID_RENEW")
    /// The customer chose another product, from now or from the next renewal on.
    package static let didChangeRenewalPreference = Self(rawValue: "DID_CHANGE_RENEWAL_PREF")
    /// Renewal was switched on or off.
    package static let didChangeRenewalStatus = Self(rawValue: "DID_CHANGE_RENEWAL_STATUS")
    /// An offer was applied.
    package static let offerRedeemed = Self(rawValue: "OFFER_REDEEMED")
    /// Billing failed at a renewal.
    package static let didFailToRenew = Self(rawValue: "DID_FAIL_TO_RENEW")
    /// The grace period ended without a payment.
    package static let gracePeriodExpired = Self(rawValue: "GRACE_PERIOD_EXPIRED")
    /// A subscription ended.
    package static let expired = Self(rawValue: "EXPIRED")
    /// A price rises: Apple asked the customer to consent, or the customer consented or need not.
    package static let priceIncrease = Self(rawValue: "PRICE_INCREASE")
    /// A renewal date was extended.
    package static let renewalExtended = Self(rawValue: "RENEWAL_EXTENDED")
    /// Apple reports on a mass extension of renewal dates.
    package static let renewalExtension = Self(rawValue: "RENEWAL_EXTENSION")
    /// A one-time product was bought.
    package static let oneTimeCharge = Self(rawValue: "ONE_TIME_CHARGE")
    /// A purchase was refunded.
    package static let refund = Self(rawValue: "REFUND")
    /// A refund was declined.
    package static let refundDeclined = Self(rawValue: "REFUND_DECLINED")
    /// A refund was undone.
    package static let refundReversed = Self(rawValue: "REFUND_REVERSED")
    /// Apple asks how much of a purchase was used, to decide on a refund.
    package static let consumptionRequest = Self(rawValue: "CONSUMPTION_REQUEST")
    /// A family member lost access to a shared purchase.
    package static let revoke = Self(rawValue: "REVOKE")
    /// A parent withdrew consent to the app.
    package static let rescindConsent = Self(rawValue: "RESCIND_CONSENT")
    /// A test that this server asked Apple for.
    package static let test = Self(rawValue: "TEST")
    /// The notification is about a purchase outside the App Store.
    package static let externalPurchaseToken = Self(rawValue: "EXTERNAL_PURCHASE_TOKEN")

    /// A product's description changed (Advanced Commerce API).
    package static let metadataUpdate = Self(rawValue: "METADATA_UPDATE")
    /// A subscription moved to the Advanced Commerce API.
    package static let migration = Self(rawValue: "MIGRATION")
    /// A price changed (Advanced Commerce API).
    package static let priceChange = Self(rawValue: "PRICE_CHANGE")

    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }
}

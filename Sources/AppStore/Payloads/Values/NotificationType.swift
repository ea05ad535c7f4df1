/// The kind of change that a notification tells (`apple.md` §4.1).
///
/// Open: a value that is not named here is kept as it is.
package struct NotificationType: RawRepresentable, Hashable, Sendable {
    /// A subscription began or came back.
    package static let subscribed = Self(rawValue: "SUBSCRIBED")
    /// Renewed.
    package static let didRenew = Self(rawValue: "DID_RENEW")
    /// Another product from now or from the next renewal.
    package static let didChangeRenewalPreference = Self(rawValue: "DID_CHANGE_RENEWAL_PREF")
    /// Renewal switched on or off.
    package static let didChangeRenewalStatus = Self(rawValue: "DID_CHANGE_RENEWAL_STATUS")
    /// An offer was applied.
    package static let offerRedeemed = Self(rawValue: "OFFER_REDEEMED")
    /// Billing failed.
    package static let didFailToRenew = Self(rawValue: "DID_FAIL_TO_RENEW")
    /// Grace is over.
    package static let gracePeriodExpired = Self(rawValue: "GRACE_PERIOD_EXPIRED")
    /// Ended.
    package static let expired = Self(rawValue: "EXPIRED")
    /// Consent asked or given.
    package static let priceIncrease = Self(rawValue: "PRICE_INCREASE")
    /// A renewal date was extended.
    package static let renewalExtended = Self(rawValue: "RENEWAL_EXTENDED")
    /// A mass extension.
    package static let renewalExtension = Self(rawValue: "RENEWAL_EXTENSION")
    /// A one-time product was bought.
    package static let oneTimeCharge = Self(rawValue: "ONE_TIME_CHARGE")
    /// Refunded.
    package static let refund = Self(rawValue: "REFUND")
    /// A refund was declined.
    package static let refundDeclined = Self(rawValue: "REFUND_DECLINED")
    /// A refund was undone.
    package static let refundReversed = Self(rawValue: "REFUND_REVERSED")
    /// Apple asks for usage data.
    package static let consumptionRequest = Self(rawValue: "CONSUMPTION_REQUEST")
    /// Family access withdrawn.
    package static let revoke = Self(rawValue: "REVOKE")
    /// Parental consent withdrawn.
    package static let rescindConsent = Self(rawValue: "RESCIND_CONSENT")
    /// Asked for by this server.
    package static let test = Self(rawValue: "TEST")
    /// About an external purchase.
    package static let externalPurchaseToken = Self(rawValue: "EXTERNAL_PURCHASE_TOKEN")

    /// A product's description changed; Advanced Commerce.
    package static let metadataUpdate = Self(rawValue: "METADATA_UPDATE")
    /// A subscription moved to Advanced Commerce.
    package static let migration = Self(rawValue: "MIGRATION")
    /// A price changed; Advanced Commerce.
    package static let priceChange = Self(rawValue: "PRICE_CHANGE")

    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }
}

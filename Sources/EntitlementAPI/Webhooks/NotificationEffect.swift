import AppStore
import Entitlements

/// The effect of a notification by its type (`api.md`, "Webhooks"). The signed transaction and renewal info inside are
/// recorded whatever the type.
enum NotificationEffect {
    /// The notification has the effect of the signed texts inside.
    case recorded
    /// The notification has no effect, for a reason that operators may want to know.
    case ignored(DeliveryReason?)

    /// The effect of a delivery. An unreadable delivery is ignored.
    init(of delivery: VerifiedDelivery) {
        let effect = Self(of: delivery.notification.payload.notificationType)
        switch effect {
        case .recorded where !delivery.isReadable, .ignored(nil) where !delivery.isReadable:
            self = .ignored(.unreadable)
        case .recorded, .ignored: self = effect
        }
    }

    private init(of type: NotificationType) {
        switch type {
        case .subscribed, .didRenew, .didChangeRenewalPreference, .didChangeRenewalStatus, .offerRedeemed,
            .didFailToRenew, .gracePeriodExpired, .expired, .priceIncrease, .renewalExtended, .oneTimeCharge, .refund,
            .refundDeclined, .refundReversed, .consumptionRequest, .revoke:
            self = .recorded
        case .rescindConsent: self = .ignored(.consentRescinded)
        case .test, .renewalExtension, .externalPurchaseToken, .metadataUpdate, .migration, .priceChange:
            self = .ignored(nil)
        default: self = .ignored(.unknownType)
        }
    }
}

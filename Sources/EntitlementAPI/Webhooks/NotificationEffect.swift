import AppStore
import Entitlements

/// The effect of a notification besides its storage (`api.md`, "Webhooks"). The transaction and the renewal info inside
/// are recorded whatever its type, because they were signed.
enum NotificationEffect {
    /// The texts inside say all of it.
    case recorded
    /// Nothing.
    case ignored(DeliveryReason?)

    /// The effect of a delivery; an unreadable one has none.
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

package import AppStore
package import Entitlements

/// An event of the simulated store, of which one notification tells (`apple.md` §4.1).
///
/// The notification and the texts inside it have the same signing date, as Apple's have (`apple.md` §4.3).
package struct SimulatedEvent: Sendable {
    package var notificationType: NotificationType
    package var subtype: NotificationSubtype?
    /// The transaction after the event; nil in a `TEST`.
    package var transaction: SimulatedTransaction?
    /// The renewal info after the event; nil for a one-time product.
    package var renewalInfo: SimulatedRenewalInfo?
    /// The subscription's status after the event; nil for a one-time product.
    package var status: SubscriptionStatus?
    /// The reason for a `CONSUMPTION_REQUEST`; nil in other events.
    package var consumptionRequestReason: ConsumptionRequestReason?
    package var bundleId: String
    package var environment: StoreEnvironment
    /// The signing date in milliseconds since the epoch.
    package var signedDate: Int64

    /// An event of an app that is about no purchase.
    package init(
        _ notificationType: NotificationType, _ subtype: NotificationSubtype? = nil, bundleId: String,
        environment: StoreEnvironment = .sandbox, at signedDate: Int64
    ) {
        self.notificationType = notificationType
        self.subtype = subtype
        self.bundleId = bundleId
        self.environment = environment
        self.signedDate = signedDate
    }

    /// An event about `transaction`, with the same signing date.
    package init(
        _ notificationType: NotificationType, _ subtype: NotificationSubtype? = nil,
        about transaction: SimulatedTransaction
    ) {
        self.init(
            notificationType, subtype, bundleId: transaction.bundleId, environment: transaction.environment,
            at: transaction.signedDate)
        self.transaction = transaction
    }

    /// The notification of this event, with signed texts inside.
    ///
    /// - Parameters:
    ///   - uuid: The notification's id, which is the same at each retry.
    ///   - appAppleId: Apple's number of the app. A `TEST` in Sandbox leaves it out, as Apple's does (`apple.md` §2.4).
    /// - Throws: Nothing in practice, because the authority's key is valid.
    package func notification(
        uuid: String, appAppleId: Int64? = nil, signedBy authority: DevelopmentAuthority
    ) throws -> SimulatedNotification {
        let content = SimulatedNotification.Content.data(
            transaction: try transaction.map { try authority.sign($0).text },
            renewalInfo: try renewalInfo.map { try authority.sign($0).text }, status: status)
        return notification(about: content, uuid: uuid, appAppleId: appAppleId)
    }

    /// The notification of this event, with `content` inside.
    package func notification(
        about content: SimulatedNotification.Content, uuid: String, appAppleId: Int64? = nil
    ) -> SimulatedNotification {
        var notification = SimulatedNotification(
            notificationType, subtype, uuid: uuid, about: content, bundleId: bundleId, at: signedDate)
        let isUnnumbered = notificationType == .test && environment == .sandbox
        notification.appAppleId = isUnnumbered ? nil : appAppleId
        notification.environment = environment
        notification.consumptionRequestReason = consumptionRequestReason
        return notification
    }
}

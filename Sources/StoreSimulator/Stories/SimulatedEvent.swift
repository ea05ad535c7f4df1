package import AppStore
package import Entitlements

/// An event of the simulated store, as one notification tells it (`apple.md` §4.1).
///
/// The notification and the texts inside it are signed at one instant, as Apple's are (`apple.md` §4.3).
package struct SimulatedEvent: Sendable {
    package var notificationType: NotificationType
    package var subtype: NotificationSubtype?
    /// The transaction as it stands after the event; nil in a `TEST`.
    package var transaction: SimulatedTransaction?
    /// How the chain stands after the event; nil for a one-time product.
    package var renewalInfo: SimulatedRenewalInfo?
    /// How the subscription stands; nil for a one-time product.
    package var status: SubscriptionStatus?
    /// Only with a `CONSUMPTION_REQUEST`.
    package var consumptionRequestReason: ConsumptionRequestReason?
    package var bundleId: String
    package var environment: StoreEnvironment
    /// Milliseconds since the epoch.
    package var signedDate: Int64

    /// An event of an app, about nothing that was bought.
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

    /// An event about `transaction`, signed when the transaction is.
    package init(
        _ notificationType: NotificationType, _ subtype: NotificationSubtype? = nil,
        about transaction: SimulatedTransaction
    ) {
        self.init(
            notificationType, subtype, bundleId: transaction.bundleId, environment: transaction.environment,
            at: transaction.signedDate)
        self.transaction = transaction
    }

    /// The notification that tells it, with the texts inside signed.
    ///
    /// - Parameters:
    ///   - uuid: The notification's id, the same in each delivery of the event.
    ///   - appAppleId: The app's number; a `TEST` in Sandbox leaves it out, as Apple's does (`apple.md` §2.4).
    /// - Throws: Never with a key that was made or read.
    package func notification(
        uuid: String, appAppleId: Int64? = nil, signedBy authority: DevelopmentAuthority
    ) throws -> SimulatedNotification {
        let content = SimulatedNotification.Content.data(
            transaction: try transaction.map { try authority.sign($0).text },
            renewalInfo: try renewalInfo.map { try authority.sign($0).text }, status: status)
        return notification(about: content, uuid: uuid, appAppleId: appAppleId)
    }

    /// The notification that tells it, with the container `content`.
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

package import Entitlements
package import AppStore

/// A notification, version 2, as the App Store would send it (`apple.md` §2.4).
package struct SimulatedNotification: Sendable {
    /// The one member of a notification that says what it is about.
    package enum Content: Sendable {
        /// The member `data`, about a purchase. The texts inside are compact JWS.
        case data(transaction: String?, renewalInfo: String?, status: SubscriptionStatus?)
        /// The member `summary`, about an extension of many subscriptions' renewal dates.
        case summary(productId: String, requestIdentifier: String, succeeded: Int64, failed: Int64)
        /// The member `externalPurchaseToken`, about a purchase outside the App Store.
        case externalPurchaseToken(id: String, createdAt: Int64)
        /// The member `appData`, about an app's download. The text inside is a compact JWS.
        case appData(appTransaction: String)
    }

    package var notificationType: NotificationType
    package var subtype: NotificationSubtype?
    package var notificationUUID: String
    package var signedDate: Int64
    package var bundleId: String
    package var appAppleId: Int64?
    package var environment = StoreEnvironment.sandbox
    package var content: Content
    /// The reason for a `CONSUMPTION_REQUEST`; nil in other notifications.
    package var consumptionRequestReason: ConsumptionRequestReason?

    package init(
        _ notificationType: NotificationType, _ subtype: NotificationSubtype? = nil, uuid: String,
        about content: Content,
        bundleId: String, at signedDate: Int64
    ) {
        self.notificationType = notificationType
        self.subtype = subtype
        self.notificationUUID = uuid
        self.content = content
        self.bundleId = bundleId
        self.signedDate = signedDate
    }

    /// The members that get signed.
    package var payload: SimulatedPayload {
        var payload = SimulatedPayload()
        payload.add("notificationType", notificationType.rawValue)
        payload.add("subtype", subtype?.rawValue)
        payload.add("notificationUUID", notificationUUID)
        let (name, container) = container
        payload[name] = .object(container)
        payload.add("version", "2.0")
        payload.add("signedDate", signedDate)
        return payload
    }

    private var container: (name: String, members: SimulatedPayload) {
        var members = SimulatedPayload()
        members.add("appAppleId", appAppleId)
        members.add("bundleId", bundleId)
        switch content {
        case .data(let transaction, let renewalInfo, let status):
            members.add("bundleVersion", "1")
            members.add("environment", environment.rawValue)
            members.add("signedTransactionInfo", transaction)
            members.add("signedRenewalInfo", renewalInfo)
            members.add("status", status?.rawValue)
            members.add("consumptionRequestReason", consumptionRequestReason?.rawValue)
            return ("data", members)
        case .summary(let productId, let requestIdentifier, let succeeded, let failed):
            members.add("environment", environment.rawValue)
            members.add("productId", productId)
            members.add("requestIdentifier", requestIdentifier)
            members["storefrontCountryCodes"] = .array([.string("USA"), .string("DEU")])
            members.add("succeededCount", succeeded)
            members.add("failedCount", failed)
            return ("summary", members)
        case .externalPurchaseToken(let id, let createdAt):
            members.add("externalPurchaseId", id)
            members.add("tokenCreationDate", createdAt)
            return ("externalPurchaseToken", members)
        case .appData(let appTransaction):
            members.add("environment", environment.rawValue)
            members.add("signedAppTransactionInfo", appTransaction)
            return ("appData", members)
        }
    }
}

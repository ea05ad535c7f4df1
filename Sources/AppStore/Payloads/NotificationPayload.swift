package import Entitlements

/// Apple's `ResponseBodyV2DecodedPayload`, names as Apple spells them (`apple.md` §2.4). Instants are milliseconds
/// since the epoch.
///
/// Only ``VerifiedNotification`` holds an authentic one. The texts signed inside are not verified by this.
package struct NotificationPayload: Hashable, Sendable {
    /// What a notification brings; exactly one of four.
    package enum Content: Hashable, Sendable {
        case data(NotificationData)
        case summary(ExtensionSummary)
        case externalPurchaseToken(ExternalPurchaseToken)
        case appData(NotificationAppData)
        /// A container that did not exist when this was written. It names no app that could be compared, so such a
        /// notification is `wrong_app`.
        case unknown
    }

    package let notificationType: NotificationType
    package let subtype: NotificationSubtype?
    /// Identifies the delivery and its repeats.
    package let notificationUUID: String
    package let version: String?
    /// Nil where Apple left it out: the texts inside are dated.
    package let signedDate: Int64?
    package let content: Content

    /// - Throws: `payload_malformed` for a required member that is absent, any that is of another type or out of range,
    ///   and more than one container.
    init(_ payload: PayloadReader) throws(EvidenceError) {
        notificationType = NotificationType(
            rawValue: try payload.required("notificationType", payload.text("notificationType")))
        subtype = try payload.text("subtype").map(NotificationSubtype.init(rawValue:))
        notificationUUID = try payload.required("notificationUUID", payload.identifier("notificationUUID"))
        version = try payload.text("version")
        signedDate = try payload.instant("signedDate")
        content = try Self.content(of: payload)
    }

    private static func content(of payload: PayloadReader) throws(EvidenceError) -> Content {
        var contents: [Content] = []
        if let data = try payload.object("data") { contents.append(.data(try NotificationData(data))) }
        if let summary = try payload.object("summary") { contents.append(.summary(try ExtensionSummary(summary))) }
        if let token = try payload.object("externalPurchaseToken") {
            contents.append(.externalPurchaseToken(try ExternalPurchaseToken(token)))
        }
        if let appData = try payload.object("appData") { contents.append(.appData(try NotificationAppData(appData))) }
        guard contents.count <= 1 else {
            throw EvidenceError(
                .payloadMalformed, "A notification has one of data, summary, externalPurchaseToken and appData.")
        }
        return contents.first ?? .unknown
    }
}

extension NotificationPayload.Content {
    /// The compact texts inside.
    package var signedTexts: [String] {
        switch self {
        case .data(let data): [data.signedTransactionInfo?.text, data.signedRenewalInfo?.text].compactMap(\.self)
        case .appData(let appData): [appData.signedAppTransactionInfo?.text].compactMap(\.self)
        case .summary, .externalPurchaseToken, .unknown: []
        }
    }

    /// The app it is about.
    package var bundleId: String? {
        switch self {
        case .data(let data): data.bundleId
        case .summary(let summary): summary.bundleId
        case .externalPurchaseToken(let token): token.bundleId
        case .appData(let appData): appData.bundleId
        case .unknown: nil
        }
    }

    /// The app's number.
    package var appAppleId: Int64? {
        switch self {
        case .data(let data): data.appAppleId
        case .summary(let summary): summary.appAppleId
        case .externalPurchaseToken(let token): token.appAppleId
        case .appData(let appData): appData.appAppleId
        case .unknown: nil
        }
    }

    /// The environment; `nil` if it is none of ours.
    package var environment: StoreEnvironment? {
        switch self {
        case .data(let data): data.environment
        case .summary(let summary): summary.environment
        case .externalPurchaseToken(let token): token.environment
        case .appData(let appData): appData.environment
        case .unknown: nil
        }
    }
}

package import Entitlements

/// Apple's `ResponseBodyV2DecodedPayload`, names as Apple spells them (`apple.md` §2.4). Instants are milliseconds
/// since the epoch.
///
/// Only ``VerifiedNotification`` holds an authentic one. The texts signed inside are not verified by this.
package struct NotificationPayload: Hashable, Sendable {
    /// The container that a notification brings: one of Apple's four, or unreadable.
    package enum Content: Hashable, Sendable {
        case data(NotificationData)
        case summary(ExtensionSummary)
        case externalPurchaseToken(ExternalPurchaseToken)
        case appData(NotificationAppData)
        case unreadable(UnreadableContent)
    }

    package let notificationType: NotificationType
    package let subtype: NotificationSubtype?
    /// Identifies the delivery and its repeats.
    package let notificationUUID: String
    package let version: String?
    /// Nil where Apple left it out: the texts inside are dated.
    package let signedDate: Int64?
    package let content: Content

    /// - Parameter isReadable: False for a payload with too many or too long names, whose content is not read.
    /// - Throws: `payload_malformed` where the type, the id or the date cannot be read.
    init(_ payload: PayloadReader, isReadable: Bool) throws(EvidenceError) {
        var tolerant = TolerantReader(payload)
        notificationType = NotificationType(
            rawValue: try payload.required("notificationType", payload.text("notificationType")))
        subtype = tolerant.text("subtype").map(NotificationSubtype.init(rawValue:))
        notificationUUID = try payload.required("notificationUUID", payload.identifier("notificationUUID"))
        version = tolerant.text("version")
        signedDate = try payload.instant("signedDate")
        // Lost: what cannot be read of it; the whole text is kept.
        content =
            (isReadable ? try? Self.content(of: payload) : nil) ?? .unreadable(UnreadableContent(in: payload))
    }

    /// Nil without a container that is known, and with several. Throws for what is of another type.
    private static func content(of payload: PayloadReader) throws(EvidenceError) -> Content? {
        var contents: [Content] = []
        if let data = try payload.object("data") { contents.append(.data(try NotificationData(data))) }
        if let summary = try payload.object("summary") { contents.append(.summary(try ExtensionSummary(summary))) }
        if let token = try payload.object("externalPurchaseToken") {
            contents.append(.externalPurchaseToken(try ExternalPurchaseToken(token)))
        }
        if let appData = try payload.object("appData") { contents.append(.appData(try NotificationAppData(appData))) }
        return contents.count == 1 ? contents[0] : nil
    }
}

extension NotificationPayload.Content {
    /// The compact texts inside.
    package var signedTexts: [String] {
        switch self {
        case .data(let data): [data.signedTransactionInfo?.text, data.signedRenewalInfo?.text].compactMap(\.self)
        case .appData(let appData): [appData.signedAppTransactionInfo?.text].compactMap(\.self)
        case .summary, .externalPurchaseToken, .unreadable: []
        }
    }

    /// The app it is about.
    package var bundleId: String? {
        switch self {
        case .data(let data): data.bundleId
        case .summary(let summary): summary.bundleId
        case .externalPurchaseToken(let token): token.bundleId
        case .appData(let appData): appData.bundleId
        case .unreadable(let content): content.bundleId
        }
    }

    /// The app's number.
    package var appAppleId: Int64? {
        switch self {
        case .data(let data): data.appAppleId
        case .summary(let summary): summary.appAppleId
        case .externalPurchaseToken(let token): token.appAppleId
        case .appData(let appData): appData.appAppleId
        case .unreadable(let content): content.appAppleId
        }
    }

    /// The environment; `nil` if it is none of ours.
    package var environment: StoreEnvironment? {
        switch self {
        case .data(let data): data.environment
        case .summary(let summary): summary.environment
        case .externalPurchaseToken(let token): token.environment
        case .appData(let appData): appData.environment
        case .unreadable(let content): content.environment
        }
    }
}

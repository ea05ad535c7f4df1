package import Entitlements

/// Apple's `ResponseBodyV2DecodedPayload` with Apple's member names (`apple.md` §2.4). Instants are milliseconds since
/// the epoch.
///
/// A value is authentic only inside a ``VerifiedNotification``. The texts signed inside are not verified there.
package struct NotificationPayload: Hashable, Sendable {
    /// The object that a notification contains: one of Apple's four kinds, or an unreadable one.
    package enum Content: Hashable, Sendable {
        case data(NotificationData)
        case summary(ExtensionSummary)
        case externalPurchaseToken(ExternalPurchaseToken)
        case appData(NotificationAppData)
        case unreadable(UnreadableContent)
    }

    package let notificationType: NotificationType
    package let subtype: NotificationSubtype?
    /// The delivery's id, the same in all its repeats.
    package let notificationUUID: String
    package let version: String?
    /// Nil if Apple left it out; then the texts inside have dates.
    package let signedDate: Int64?
    package let content: Content

    /// Reads the members.
    ///
    /// - Parameter isReadable: False for a payload with too many or too long member names. Its content is not read.
    /// - Throws: `payload_malformed` if the type, the id or the date cannot be read.
    init(_ payload: PayloadReader, isReadable: Bool) throws(EvidenceError) {
        var tolerant = TolerantReader(payload)
        notificationType = NotificationType(
            rawValue: try payload.required("notificationType", payload.text("notificationType")))
        subtype = tolerant.text("subtype").map(NotificationSubtype.init(rawValue:))
        notificationUUID = try payload.required("notificationUUID", payload.identifier("notificationUUID"))
        version = tolerant.text("version")
        signedDate = try payload.instant("signedDate")
        // `try?` drops the reason why the content cannot be read. Nothing is lost, because the whole text is kept.
        content =
            (isReadable ? try? Self.content(of: payload) : nil) ?? .unreadable(UnreadableContent(in: payload))
    }

    /// The content; nil unless the payload has exactly one of the four objects. Throws if a member has another type.
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
    /// The signed texts inside, in compact form.
    package var signedTexts: [String] {
        switch self {
        case .data(let data): [data.signedTransactionInfo?.text, data.signedRenewalInfo?.text].compactMap(\.self)
        case .appData(let appData): [appData.signedAppTransactionInfo?.text].compactMap(\.self)
        case .summary, .externalPurchaseToken, .unreadable: []
        }
    }

    /// The app that the notification is about; nil if the notification names no app.
    package var bundleId: String? {
        switch self {
        case .data(let data): data.bundleId
        case .summary(let summary): summary.bundleId
        case .externalPurchaseToken(let token): token.bundleId
        case .appData(let appData): appData.bundleId
        case .unreadable(let content): content.bundleId
        }
    }

    /// The app's number in the App Store; nil if the notification does not have the number.
    package var appAppleId: Int64? {
        switch self {
        case .data(let data): data.appAppleId
        case .summary(let summary): summary.appAppleId
        case .externalPurchaseToken(let token): token.appAppleId
        case .appData(let appData): appData.appAppleId
        case .unreadable(let content): content.appAppleId
        }
    }

    /// The environment; nil if it is neither Sandbox nor Production.
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

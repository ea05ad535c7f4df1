/// The kinds of Apple's signed payloads, each recognized by members that only this kind has.
///
/// Nothing in a JWS names its kind. So an authentic text of another kind is recognized by its members, and is not
/// mistaken for a transaction (RFC 8725 §3.11, §3.12).
package enum PayloadKind: CaseIterable, Sendable {
    case transaction, renewalInfo, notification, appTransaction, retentionRequest

    /// Members that no other kind has. Every payload of this kind has at least one of them.
    private var marks: [StaticString] {
        switch self {
        case .transaction: ["transactionId"]
        case .renewalInfo: ["autoRenewStatus", "autoRenewProductId"]
        case .notification: ["notificationType", "notificationUUID"]
        case .appTransaction: ["receiptType", "receiptCreationDate", "originalApplicationVersion"]
        case .retentionRequest: ["requestIdentifier", "userLocale"]
        }
    }

    /// The kind's name in error details.
    package var name: String {
        switch self {
        case .transaction: "transaction"
        case .renewalInfo: "renewal info"
        case .notification: "notification"
        case .appTransaction: "app transaction"
        case .retentionRequest: "retention request"
        }
    }

    /// The name behind its article, where it has one.
    var nameWithArticle: String {
        switch self {
        case .renewalInfo: name
        case .appTransaction: "an " + name
        case .transaction, .notification, .retentionRequest: "a " + name
        }
    }

    /// True if a payload has a member that only this kind has.
    func matches(_ payload: PayloadReader) -> Bool {
        marks.contains { payload.has($0) }
    }
}

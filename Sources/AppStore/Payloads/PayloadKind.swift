/// Apple's signed payloads, told apart by members that only one kind has.
///
/// Nothing in a JWS says what it is, so a text that is authentic but of another kind is recognised by its shape: it
/// must not be taken for a transaction (RFC 8725 §3.11, §3.12).
enum PayloadKind: CaseIterable {
    case transaction, renewalInfo, notification, appTransaction, retentionRequest

    /// Members of which at least one stands in every payload of the kind and in none of another.
    private var marks: [StaticString] {
        switch self {
        case .transaction: ["transactionId"]
        case .renewalInfo: ["autoRenewStatus", "autoRenewProductId"]
        case .notification: ["notificationType", "notificationUUID"]
        case .appTransaction: ["receiptType", "receiptCreationDate", "originalApplicationVersion"]
        case .retentionRequest: ["requestIdentifier", "userLocale"]
        }
    }

    /// The kind's name in the answers' details.
    var name: String {
        switch self {
        case .transaction: "transaction"
        case .renewalInfo: "renewal info"
        case .notification: "notification"
        case .appTransaction: "app transaction"
        case .retentionRequest: "retention request"
        }
    }

    /// True if a payload has a member that only this kind has.
    func matches(_ payload: PayloadReader) -> Bool {
        marks.contains { payload.has($0) }
    }
}

package import Entitlements

/// A question to the App Store Server API, and the rate at which Apple answers it (`apple.md` §10.3).
package enum AppStoreQuestion: Hashable, Sendable {
    /// Get Transaction History v2: a page of all transactions of the Apple account that made `transaction`.
    ///
    /// - Parameters:
    ///   - transaction: Any transaction id of the account.
    ///   - revision: The revision of the page before; nil for the first page.
    case history(of: String, after: String?)
    /// Get Transaction Info: the transaction with this id.
    case transaction(String)
    /// Get All Subscription Statuses: the newest transaction and renewal of each subscription of the Apple account that
    /// made `transaction`.
    case statuses(of: String)
    /// Look Up Order ID: the transactions of an order, by the number in the customer's e-mail.
    case order(String)
    /// Send Consumption Information V2 about a transaction; the body is Apple's JSON.
    case consumption(of: String, body: [UInt8])
    /// Set App Account Token of the purchase with this original transaction id.
    case accountToken(of: String, body: [UInt8])
    /// Request a Test Notification.
    case testNotification
    /// Get Test Notification Status.
    case testNotificationStatus(token: String)
    /// Get Notification History; the body is Apple's JSON, and the token is that of the page before.
    case notifications(body: [UInt8], after: String?)

    /// The questions of this kind that Apple answers in a second in Production, for each app. Apple names no limit for
    /// account tokens, which count as 10.
    package var ratePerSecond: Int {
        switch self {
        case .history, .transaction, .statuses, .consumption, .notifications: 50
        case .order, .accountToken: 10
        case .testNotification, .testNotificationStatus: 1
        }
    }

    /// The method of the request.
    package var method: String {
        switch self {
        case .history, .transaction, .statuses, .order, .testNotificationStatus: "GET"
        case .consumption, .accountToken: "PUT"
        case .testNotification, .notifications: "POST"
        }
    }

    /// The JSON that the request carries; nil for none.
    package var body: [UInt8]? {
        switch self {
        case .consumption(_, let body), .accountToken(_, let body), .notifications(let body, _): body
        case .history, .transaction, .statuses, .order, .testNotification, .testNotificationStatus: nil
        }
    }

    /// The name of the kind, for metrics and logs.
    package var name: String {
        switch self {
        case .history: "history"
        case .transaction: "transaction"
        case .statuses: "statuses"
        case .order: "order"
        case .consumption: "consumption"
        case .accountToken: "account_token"
        case .testNotification: "test_notification"
        case .testNotificationStatus: "test_notification_status"
        case .notifications: "notifications"
        }
    }

    /// The path and query under the base address.
    package var path: String {
        switch self {
        case .history(let transaction, let revision):
            "/inApps/v2/history/\(escaped(transaction))?sort=ASCENDING"
                + (revision.map { "&revision=\(escaped($0))" } ?? "")
        case .transaction(let id): "/inApps/v1/transactions/\(escaped(id))"
        case .statuses(let id): "/inApps/v1/subscriptions/\(escaped(id))"
        case .order(let id): "/inApps/v1/lookup/\(escaped(id))"
        case .consumption(let id, _): "/inApps/v2/transactions/consumption/\(escaped(id))"
        case .accountToken(let id, _): "/inApps/v1/transactions/\(escaped(id))/appAccountToken"
        case .testNotification: "/inApps/v1/notifications/test"
        case .testNotificationStatus(let token): "/inApps/v1/notifications/test/\(escaped(token))"
        case .notifications(_, let token):
            "/inApps/v1/notifications/history" + (token.map { "?paginationToken=\(escaped($0))" } ?? "")
        }
    }

    /// The text with every byte percent-encoded that is not unreserved (RFC 3986 §2.3).
    private func escaped(_ text: String) -> String {
        text.utf8.map { byte in
            let character = Character(Unicode.Scalar(byte))
            let isUnreserved = byte < 0x80 && (character.isLetter || character.isNumber || "-._~".contains(character))
            guard !isUnreserved else { return String(character) }
            return (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
        }.joined()
    }
}

/// Asks the App Store Server API of an environment.
package protocol AppStoreServer: Sendable {
    /// The body of Apple's answer to a question about an app.
    ///
    /// - Throws: ``AppStoreServerFailure``.
    func ask(
        _ question: AppStoreQuestion, about app: AppID, in environment: StoreEnvironment
    ) async throws(AppStoreServerFailure) -> [UInt8]
}

extension AppStoreServer {
    /// A page of the history of the Apple account that made `transaction`. Nothing in it is verified yet.
    ///
    /// - Throws: ``AppStoreServerFailure``.
    package func history(
        of transaction: String, after revision: String?, about app: AppID, in environment: StoreEnvironment
    ) async throws(AppStoreServerFailure) -> HistoryPage {
        let body = try await ask(.history(of: transaction, after: revision), about: app, in: environment)
        guard let page = HistoryPage(body) else { throw .unreadable }
        return page
    }
}

import AppStore
import MariaDB
import StoreSimulator
import Support

extension EndToEndServer {
    static let webhookPath = "/api/billing/webhooks/apple"

    /// A notification about a transaction, and about its renewal if there is one, signed when the transaction was.
    func notification(
        _ type: NotificationType, _ subtype: NotificationSubtype? = nil, about transaction: SimulatedTransaction,
        _ renewalInfo: SimulatedRenewalInfo? = nil, uuid: String = EndToEnd.newID()
    ) throws -> SimulatedNotification {
        var notification = SimulatedNotification(
            type, subtype, uuid: uuid,
            about: .data(
                transaction: try authority.sign(transaction).text,
                renewalInfo: try renewalInfo.map { try authority.sign($0).text }, status: .active),
            bundleId: transaction.bundleId, at: transaction.signedDate)
        notification.environment = transaction.environment
        notification.appAppleId = 1_234_567_890
        return notification
    }

    /// Delivers a notification as Apple does. Throws when no whole answer came.
    @discardableResult
    func deliver(_ notification: SimulatedNotification) async throws -> EndToEndAnswer {
        try await deliver(payload: try authority.sign(notification).text)
    }

    /// Delivers a text as the payload of a notification. Throws when no whole answer came.
    @discardableResult
    func deliver(payload: String) async throws -> EndToEndAnswer {
        let body = #"{"signedPayload":"# + SimulatedPayload.quoted(payload) + "}"
        return try await send("POST", Self.webhookPath, Array(body.utf8))
    }

    /// Delivers a notification, waits while it is pending, as on a busy machine, and returns what became of it: its
    /// state in the inbox, and the reason for it. Throws when no whole answer came.
    func place(_ notification: SimulatedNotification) async throws -> String? {
        let result = try await deliver(notification).string("result")
        guard result != "duplicate" else { return result }
        let start = ContinuousClock.now
        while true {
            let outcome = try await outcomes(of: notification.notificationUUID).last
            guard outcome == "parked pending", start.duration(to: .now) < .seconds(60) else { return outcome }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    /// The account token that the server issues to `user`. Throws when no whole answer came.
    func accountToken(of user: String) async throws -> String? {
        try await send("GET", "/api/iap/apple/account-token", as: user).string("app_account_token")
    }

    /// The states of the inbox's deliveries under a notification's id, with their reasons.
    func outcomes(of uuid: String) async throws -> [String] {
        let rows = try await schema.rows(
            "SELECT CONCAT_WS(' ', state, reason) FROM inbox_deliveries WHERE external_id = ? ORDER BY id",
            [.text(uuid)])
        return rows.map { row in
            if case .text(let outcome) = row[0] { outcome } else { "" }
        }
    }
}

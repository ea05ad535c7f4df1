package import Entitlements
import StrictJSON

/// A page of Get Notification History. Nothing in it is verified yet.
package struct NotificationPage: Sendable {
    package let signed: [SignedNotification]
    /// The place after this page; nil on the last one.
    package let token: String?

    /// Reads Apple's answer; nil for anything else.
    init?(_ body: [UInt8]) {
        // `try?` drops the defect: the answer is of no use, whatever is wrong with it.
        guard let json = try? JSONValue(StrictJSON(body, boundsNames: false)),
            let items = json["notificationHistory"]?.elements, let hasMore = json["hasMore"]?.flag
        else { return nil }
        let texts = items.compactMap { $0["signedPayload"]?.string }
        let token = json["paginationToken"]?.string
        guard texts.count == items.count, !hasMore || token != nil else { return nil }
        signed = texts.map { SignedNotification($0) }
        self.token = hasMore ? token : nil
    }
}

extension AppStoreServer {
    /// A page of the notifications of `app` that Apple sent, or tried to send, from `start` to `end`, which are 180
    /// days apart at most.
    ///
    /// - Throws: ``AppStoreServerFailure``.
    package func notifications(
        of app: AppID, in environment: StoreEnvironment, from start: Instant, to end: Instant, after token: String?
    ) async throws(AppStoreServerFailure) -> NotificationPage {
        let body = #"{"startDate":\#(start.milliseconds),"endDate":\#(end.milliseconds)}"#
        let answer = try await ask(
            .notifications(body: Array(body.utf8), after: token), about: app, in: environment)
        guard let page = NotificationPage(answer) else { throw .unreadable }
        return page
    }

    /// The newest texts of each subscription of the Apple account that made `transaction`.
    ///
    /// - Throws: ``AppStoreServerFailure``.
    package func statuses(
        of transaction: String, about app: AppID, in environment: StoreEnvironment
    ) async throws(AppStoreServerFailure) -> SubscriptionStatuses {
        let answer = try await ask(.statuses(of: transaction), about: app, in: environment)
        guard let statuses = SubscriptionStatuses(answer) else { throw .unreadable }
        return statuses
    }
}

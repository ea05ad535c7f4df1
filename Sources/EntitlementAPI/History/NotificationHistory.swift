package import AppStore
package import Entitlements
package import LedgerStore
package import Logging

/// Reads Apple's list of notifications, and takes those that no webhook brought as the webhook would (`semantics.md`
/// §6). The inbox knows the others, so a repeat changes nothing.
package struct NotificationHistory: Sendable {
    /// The longest time that Apple lists, in milliseconds (`apple.md` §10.3), but for a day that a reading may take.
    private static func longest(in environment: StoreEnvironment) -> Int64 {
        (environment == .production ? 179 : 29) * Instant.millisecondsPerDay
    }

    /// The time before the end of the last reading that is read again, for what Apple listed late. Milliseconds.
    private static let overlap = Instant.millisecondsPerHour
    /// Apple's codes for a page that has to be asked for from the start again (`apple.md` §10.4).
    private static let endedTokens = [4_000_014, 4_000_017]

    private let store: StoreDoor
    private let server: any AppStoreServer
    private let inbox: StoreInbox
    private let logger: Logger

    package init(
        store: StoreDoor, asking server: any AppStoreServer, into inbox: StoreInbox, logger: Logger
    ) {
        self.store = store
        self.server = server
        self.inbox = inbox
        self.logger = logger
    }

    /// Does the nightly reading that the row `id` of `notification_reads` stands for, from the end of the last whole
    /// one. What is read before a failure is not read again. An app or environment that Apple does not answer for is
    /// left until the next night.
    ///
    /// - Throws: ``StoreHistory/Failure``.
    package func read(_ id: UInt64) async throws(StoreHistory.Failure) {
        let store: Store
        let reading: NotificationReading?
        do throws(ServiceFailure) {
            store = try self.store()
            reading = try await store.notificationReads.begin(id)
        } catch {
            throw .service(error)
        }
        guard let reading else { return }
        var (token, isWhole) = (reading.token, true)
        var read: Set<String?> = [token]
        do throws(StoreHistory.Failure) {
            repeat {
                token = try await take(reading, from: reading.receivedUntil + -Self.overlap, after: token).token
                if token != nil { try await note(reading, at: token, store) }
                // A list that leads back to a place would never end.
            } while token != nil && read.insert(token).inserted
        } catch {
            switch error {
            case .apple(.refused(let code)) where token != nil && Self.endedTokens.contains(code):
                try await note(reading, at: nil, store)
                throw error
            case .apple(.keyNotAccepted): isWhole = false
            case .apple(let failure) where failure.isFinal: isWhole = false
            case .apple, .service, .certificateStatus: throw error
            }
            logger.warning(
                "Apple's notifications could not be read",
                metadata: [
                    "app": "\(reading.app.text)", "environment": "\(reading.environment.rawValue)",
                    "error": "\(error)",
                ])
        }
        do throws(ServiceFailure) {
            try await store.notificationReads.end(reading, isWhole: isWhole)
        } catch {
            throw .service(error)
        }
    }

    private func note(
        _ reading: NotificationReading, at token: String?, _ store: Store
    ) async throws(StoreHistory.Failure) {
        do throws(ServiceFailure) {
            try await store.notificationReads.note(reading, at: token)
        } catch {
            throw .service(error)
        }
    }

    private func take(
        _ reading: NotificationReading, from start: Instant, after token: String?
    ) async throws(StoreHistory.Failure) -> (new: Int, token: String?) {
        try await take(of: reading.app, in: reading.environment, from: start, to: reading.end, after: token)
    }

    /// Takes the notifications of a page. Returns how many of them were new, and the place after the page; nil after
    /// the last one.
    ///
    /// - Parameters:
    ///   - start: The first instant of the list; one too long ago counts as the first that Apple lists.
    ///   - token: The place after the page before; nil for the first page.
    /// - Throws: ``StoreHistory/Failure``.
    package func take(
        of app: AppID, in environment: StoreEnvironment, from start: Instant, to end: Instant, after token: String?
    ) async throws(StoreHistory.Failure) -> (new: Int, token: String?) {
        let page: NotificationPage
        do throws(AppStoreServerFailure) {
            page = try await server.notifications(
                of: app, in: environment, from: max(start, end + -Self.longest(in: environment)), to: end, after: token)
        } catch {
            throw .apple(error)
        }
        var new = 0
        for signed in page.signed where try await take(signed) { new += 1 }
        // A list that stands still would never end.
        return (new, page.token == token ? nil : page.token)
    }

    /// Takes a notification as the webhook would. True if it was new.
    private func take(_ signed: SignedNotification) async throws(StoreHistory.Failure) -> Bool {
        do throws(StoreInbox.Failure) {
            return try await inbox.take(signed)
        } catch {
            switch error {
            case .service(let failure): throw .service(failure)
            case .certificateStatus(let failure): throw .certificateStatus(failure)
            case .refused(let refusal):
                logger.error(
                    "Apple's list has a notification that is not genuine", metadata: ["reason": "\(refusal.reason)"])
            case .unreadable, .unknownSource: logger.error("Apple's list has a notification that cannot be read")
            }
            return false
        }
    }
}

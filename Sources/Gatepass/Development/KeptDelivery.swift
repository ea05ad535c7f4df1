import EntitlementAPI
import Entitlements
import Foundation
import StoreSimulator

/// A notification of the simulated store that the server has not accepted yet, stored as a file of the installation.
struct KeptDelivery: Codable {
    /// The `notificationUUID`, which is the same in every attempt.
    let uuid: String
    let signedPayload: String
    let environment: String
    /// The event in words.
    let words: String
    /// The instant at which it was signed, in milliseconds since the epoch.
    let signedAt: Int64
    private(set) var attempts = 0
    /// The attempts so far whose outcome is known; nil before the first.
    private(set) var sent: [Attempt]?
    /// The instant of the next attempt, in milliseconds since the epoch; nil while the notification is held back.
    private(set) var dueAt: Int64?

    /// An attempt to deliver, as Apple lists it.
    struct Attempt: Codable {
        /// The instant, in milliseconds since the epoch.
        let at: Int64
        /// Apple's word for the outcome (`sendAttemptResult`).
        let result: String
    }

    /// The token of a test notification.
    var testToken: String { "\(uuid)_\(signedAt)" }

    /// A delivery before its first attempt.
    init(
        _ uuid: String, _ signedPayload: String, in environment: StoreEnvironment, about words: String, signedAt: Int64
    ) {
        self.uuid = uuid
        self.signedPayload = signedPayload
        self.environment = environment.rawValue
        self.words = words
        self.signedAt = signedAt
    }

    /// A copy of this delivery whose next attempt is at `instant`.
    func due(at instant: Instant) -> KeptDelivery {
        var kept = self
        kept.dueAt = instant.milliseconds
        return kept
    }

    /// A copy of this delivery after a failed attempt at `instant`; nil if the store gives up.
    private func failed(at instant: Int64) -> KeptDelivery? {
        var kept = self
        kept.attempts += 1
        let environment = StoreEnvironment(rawValue: environment) ?? .sandbox
        guard let next = NotificationSchedule.nextAttempt(after: kept.attempts, at: instant, in: environment) else {
            return nil
        }
        kept.dueAt = next
        return kept
    }

    /// Posts the notification to the server at `instant`. The notification is listed before it is posted, the attempt
    /// once its outcome is known. A store that is told to lose notifications posts nothing. A delivery that failed and
    /// will be retried is stored. Throws an error of the file system.
    func attempt(on server: RunningServer, at instant: Instant) async throws -> NotificationAnswer {
        try list(in: server.installation)
        let isLost = server.installation.faults?.losesNotifications == true
        // `try?` drops the reason why no answer came; a real store does not look at it either.
        let answer = isLost ? nil : try? await server.notify(signedPayload)
        let listed = after(answer, at: instant)
        try listed.list(in: server.installation)
        if isLost {
            remove(from: server.installation)
            return NotificationAnswer(.init(status: 200, body: #"{"result":"lost"}"#), nextAttempt: nil)
        }
        guard answer?.isOK != true, let next = listed.failed(at: instant.milliseconds) else {
            remove(from: server.installation)
            return NotificationAnswer(answer, nextAttempt: nil)
        }
        try next.keep(in: server.installation)
        return NotificationAnswer(answer, nextAttempt: next.dueAt.map(Instant.init(milliseconds:)))
    }

    /// A copy of this delivery with one attempt more; `answer` is nil if none came.
    private func after(_ answer: RunningServer.Answer?, at instant: Instant) -> KeptDelivery {
        let result = answer.map { $0.isOK ? "SUCCESS" : "UNSUCCESSFUL_HTTP_RESPONSE_CODE" } ?? "NO_RESPONSE"
        var kept = self
        kept.sent = (sent ?? []) + [Attempt(at: instant.milliseconds, result: result)]
        return kept
    }

    /// Lists this delivery among those that were sent. Throws an error of the file system.
    private func list(in installation: Installation) throws {
        try installation.write(text(), to: installation.notified.appendingPathComponent("\(uuid).json"))
    }

    /// Writes the delivery to its file. Throws an error of the file system.
    func keep(in installation: Installation) throws {
        try installation.write(text(), to: file(in: installation))
    }

    private func text() throws -> String { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }

    /// Removes the file of a delivery that was accepted or given up.
    func remove(from installation: Installation) {
        try? FileManager.default.removeItem(at: file(in: installation))  // it was never kept
    }

    /// All stored deliveries in the order of signing. Throws if a file is broken.
    static func all(in installation: Installation) throws -> [KeptDelivery] {
        try installation.documents(in: installation.deliveries).sorted {
            ($0.signedAt, $0.uuid) < ($1.signedAt, $1.uuid)
        }
    }

    private func file(in installation: Installation) -> URL {
        installation.deliveries.appendingPathComponent("\(uuid).json")
    }
}

import Entitlements
import Foundation
import StoreSimulator

/// A notification of the simulated store that the server has not taken yet, as the installation keeps it.
struct KeptDelivery: Codable {
    /// The `notificationUUID`, the same in every attempt.
    let uuid: String
    let signedPayload: String
    let environment: String
    /// The event in words, for people.
    let words: String
    /// When it was signed, in milliseconds since the epoch; later ones are larger.
    let signedAt: Int64
    private(set) var attempts = 0
    /// When it is tried again, in milliseconds since the epoch; nil while it is held back, until it is released.
    private(set) var dueAt: Int64?

    /// A delivery that was not tried.
    init(
        _ uuid: String, _ signedPayload: String, in environment: StoreEnvironment, about words: String, signedAt: Int64
    ) {
        self.uuid = uuid
        self.signedPayload = signedPayload
        self.environment = environment.rawValue
        self.words = words
        self.signedAt = signedAt
    }

    /// This delivery, to be tried at `instant`.
    func due(at instant: Instant) -> KeptDelivery {
        var kept = self
        kept.dueAt = instant.milliseconds
        return kept
    }

    /// This delivery after an attempt at `instant` that failed; nil when the store gives it up.
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

    /// Brings the delivery to the server at `instant`. A delivery that is tried again is kept. Throws errors of the
    /// file system.
    func attempt(on server: RunningServer, at instant: Instant) async throws -> NotificationAnswer {
        // Lost: why no answer came; the store does not look at it either.
        let answer = try? await server.notify(signedPayload)
        guard answer?.isOK != true, let next = failed(at: instant.milliseconds) else {
            remove(from: server.installation)
            return NotificationAnswer(answer, nextAttempt: nil)
        }
        try next.keep(in: server.installation)
        return NotificationAnswer(answer, nextAttempt: next.dueAt.map(Instant.init(milliseconds:)))
    }

    /// Keeps it. Throws what the file system refuses.
    func keep(in installation: Installation) throws {
        let text = String(decoding: try JSONEncoder().encode(self), as: UTF8.self)
        try installation.write(text, to: file(in: installation))
    }

    /// Removes a delivery that was taken, or given up.
    func remove(from installation: Installation) {
        try? FileManager.default.removeItem(at: file(in: installation))  // it was never kept
    }

    /// All that wait, by when they were signed. Throws for a file that is broken.
    static func all(in installation: Installation) throws -> [KeptDelivery] {
        try installation.documents(in: installation.deliveries).sorted {
            ($0.signedAt, $0.uuid) < ($1.signedAt, $1.uuid)
        }
    }

    private func file(in installation: Installation) -> URL {
        installation.deliveries.appendingPathComponent("\(uuid).json")
    }
}

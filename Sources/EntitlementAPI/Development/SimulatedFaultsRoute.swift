import Hummingbird
import Logging

/// Faults that the simulated App Store is told to make.
package struct SimulatedFaults: Codable, Hashable, Sendable {
    /// The status of its next answers; nil for none.
    package var status: Int?
    /// How far in the future the field `Retry-After` of such an answer lies, in milliseconds.
    package var retryAfter: Int?
    /// The number of answers with this status; nil for all.
    package var times: Int?
    /// The time before each answer, in milliseconds.
    package var delay: Int?
    /// True if no signed text in an answer is genuine.
    package var hasWrongTexts: Bool
    /// True if notifications are listed and not delivered.
    package var losesNotifications: Bool
    /// True if Production knows no app and answers 401, as Apple does about an app that was never approved.
    package var isUnapproved: Bool

    /// - Throws: `invalid_request`.
    fileprivate init(_ body: JSONBody) throws(Problem) {
        try body.requireObject()
        status = try body.integer("status", in: 400...599)
        retryAfter = try body.integer("retry_after_ms", in: 0...86_400_000)
        times = try body.integer("times", in: 1...1_000_000)
        delay = try body.integer("delay_ms", in: 0...60_000)
        hasWrongTexts = try body.flag("wrong_jws") ?? false
        losesNotifications = try body.flag("lose_notifications") ?? false
        isUnapproved = try body.flag("unapproved") ?? false
    }
}

/// `POST /dev/apple/faults`: tells the simulated App Store which faults to make; an empty object ends them.
enum SimulatedFaultsRoute {
    /// - Throws: `not_found` without a simulated store, `invalid_request`, `unavailable` if a file cannot be written.
    static func respond(to call: OpenCall) async throws(Problem) -> Response {
        guard let server = call.api.simulatedServer else { throw .notFound }
        let faults = try SimulatedFaults(try await call.json())
        do {
            try await server.make(faults)
        } catch {
            call.api.logger.error("the simulated App Store failed", metadata: ["error": "\(error)"])
            throw Problem(.unavailable, "The simulated App Store failed.")
        }
        return .json(
            JSONWriter.object { json in
                json.member("status", faults.status)
                json.member("retry_after_ms", faults.retryAfter)
                json.member("times", faults.times)
                json.member("delay_ms", faults.delay)
                json.member("wrong_jws", faults.hasWrongTexts)
                json.member("lose_notifications", faults.losesNotifications)
                json.member("unapproved", faults.isUnapproved)
            })
    }
}

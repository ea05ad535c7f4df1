import StrictJSON
package import Entitlements
import Hummingbird
import LedgerStore
import Logging

/// The clock of a development server, which can be put forward (`api.md`, "Development").
package protocol DevelopmentClock: Sendable {
    /// The server's present.
    var now: Instant { get }
    /// How far the clock is ahead of the real time, in milliseconds.
    var lead: Int64 { get }
    /// Puts the clock forward by `milliseconds`. Events of the simulated store that fall due on the way happen. After
    /// `patience` of real time no further event begins, and the clock stops at the time that it has reached.
    ///
    /// Throws if the new time or an event cannot be written down.
    func advance(by milliseconds: Int64, within patience: Duration) async throws -> ClockAdvance
}

/// The result of putting the clock forward.
package struct ClockAdvance: Hashable, Sendable {
    package let happened: [SimulatedHappening]
    /// The milliseconds that are missing because the clock stopped early; 0 if it reached the requested time.
    package let remaining: Int64

    package init(happened: [SimulatedHappening], remaining: Int64) {
        self.happened = happened
        self.remaining = remaining
    }
}

/// An event of the simulated store, and the server's answer to its webhook.
package struct SimulatedHappening: Hashable, Sendable {
    package let at: Instant
    /// A description for people.
    package let words: String
    /// The `result` in the webhook's answer, such as `applied`.
    package let result: String

    package init(at: Instant, words: String, result: String) {
        self.at = at
        self.words = words
        self.result = result
    }
}

/// `GET /dev/clock`: the time of a development server.
enum ClockRoute {
    /// - Throws: `not_found` if the server uses the real time.
    static func respond(to call: OpenCall) async throws(Problem) -> Response {
        try answer(of: call.clock())
    }

    fileprivate static func answer(
        of clock: any DevelopmentClock, _ advance: ClockAdvance? = nil
    ) -> Response {
        var json = JSONWriter()
        json.beginObject()
        json.member("now", exactly: "now_ms", clock.now)
        json.name("ahead_ms")
        json.value(clock.lead)
        if let advance {
            json.name("remaining_ms")
            json.value(advance.remaining)
            json.name("happened")
            json.beginArray()
            for happening in advance.happened {
                json.beginObject()
                json.member("at", exactly: "at_ms", happening.at)
                json.member("event", happening.words)
                json.member("result", happening.result)
                json.endObject()
            }
            json.endArray()
        }
        json.endObject()
        return .json(json.bytes)
    }
}

/// `POST /dev/clock`: puts the clock of a development server forward.
package enum AdvanceClockRoute {
    /// The time limit of the request in seconds. It covers ``patience``, the last event begun within it, and an earlier
    /// request still at work.
    package static let deadlineSeconds: Int64 = 60
    private static let patience = Duration.seconds(20)
    /// The most that the clock may be ahead of the real time, in milliseconds.
    package static let furthest = 3_660 * Instant.millisecondsPerDay

    /// - Throws: `not_found` if the server uses the real time, `invalid_request`, `unavailable` if something could not
    ///   be written down.
    static func respond(to call: OpenCall) async throws(Problem) -> Response {
        let clock = try call.clock()
        let body = try await call.json()
        guard let text = body.value["advance"]?.string, let span = Span(text) else {
            throw .invalidRequest("The member must be a length of time such as 40d or 1d12h.", at: "#/advance")
        }
        guard span.milliseconds <= furthest - clock.lead else {
            throw .invalidRequest("The clock goes ten years ahead at most.", at: "#/advance")
        }
        do {
            let advance = try await clock.advance(by: span.milliseconds, within: patience)
            // While the database is away, `try?` leaves the standings to the upkeep.
            while let made = try? await call.api.store().standings.makeDueAnew(), made > 0 {}
            return ClockRoute.answer(of: clock, advance)
        } catch {
            call.api.logger.error("the clock could not be put forward", metadata: ["error": "\(error)"])
            throw Problem(.unavailable, "The clock could not be put forward.")
        }
    }
}

extension OpenCall {
    /// - Throws: `not_found` if the server uses the real time.
    fileprivate func clock() throws(Problem) -> any DevelopmentClock {
        guard let clock = api.developmentClock else { throw .notFound }
        return clock
    }
}

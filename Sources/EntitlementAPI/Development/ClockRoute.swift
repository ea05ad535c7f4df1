import StrictJSON
package import Entitlements
import Hummingbird
import Logging

/// The clock of a development server, which can be put forward (`api.md`, "Development").
package protocol DevelopmentClock: Sendable {
    /// The server's present.
    var now: Instant { get }
    /// How far it is ahead of the real time, in milliseconds.
    var lead: Int64 { get }
    /// Has it go forward by `milliseconds`, and what the simulated store does by itself meanwhile happen. Nothing more
    /// is begun after `patience`: then it stands where it came to.
    ///
    /// Throws where that cannot be written down.
    func advance(by milliseconds: Int64, within patience: Duration) async throws -> ClockAdvance
}

/// How the clock went forward.
package struct ClockAdvance: Hashable, Sendable {
    package let happened: [SimulatedHappening]
    /// How far it was to go further, in milliseconds.
    package let remaining: Int64

    package init(happened: [SimulatedHappening], remaining: Int64) {
        self.happened = happened
        self.remaining = remaining
    }
}

/// Something that the simulated store did by itself, and what the server made of it.
package struct SimulatedHappening: Hashable, Sendable {
    package let at: Instant
    /// For people.
    package let words: String
    /// The webhook's answer, such as `applied`.
    package let result: String

    package init(at: Instant, words: String, result: String) {
        self.at = at
        self.words = words
        self.result = result
    }
}

/// `GET /dev/clock`: what time it is for a development server.
enum ClockRoute {
    /// - Throws: `not_found` where the clock is the real one.
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

/// `POST /dev/clock`: the clock of a development server goes forward.
package enum AdvanceClockRoute {
    /// How long what happens meanwhile may take: ``patience``, the last thing that was begun in it, and what another
    /// request began before.
    package static let deadlineSeconds: Int64 = 60
    private static let patience = Duration.seconds(20)
    /// How far ahead of the real time the clock goes at most, in milliseconds.
    package static let furthest = 3_660 * Instant.millisecondsPerDay

    /// - Throws: `not_found` where the clock is the real one, `invalid_request`, `unavailable` when something could not
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
            return ClockRoute.answer(of: clock, try await clock.advance(by: span.milliseconds, within: patience))
        } catch {
            call.api.logger.error("the clock could not be put forward", metadata: ["error": "\(error)"])
            throw Problem(.unavailable, "The clock could not be put forward.")
        }
    }
}

extension OpenCall {
    /// - Throws: `not_found` where the clock is the real one.
    fileprivate func clock() throws(Problem) -> any DevelopmentClock {
        guard let clock = api.developmentClock else { throw .notFound }
        return clock
    }
}

import StrictJSON
package import Entitlements
import Hummingbird
import Logging

/// The clock of a development server, which can be put forward (`api.md`, "Development").
package protocol DevelopmentClock: Sendable {
    /// What time it is for the server.
    var now: Instant { get }
    /// How far it is ahead of the real time, in milliseconds.
    var lead: Int64 { get }
    /// Has it go forward by `milliseconds`, and what the simulated store does by itself meanwhile happen.
    ///
    /// Throws where that cannot be written down.
    func advance(by milliseconds: Int64) async throws -> [SimulatedHappening]
}

/// Something that the simulated store did by itself, and what the server made of it.
package struct SimulatedHappening: Hashable, Sendable {
    package let at: Instant
    /// For people.
    package let words: String
    /// What the webhook answered, such as `applied`.
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
        of clock: any DevelopmentClock, _ happened: [SimulatedHappening]? = nil
    ) -> Response {
        var json = JSONWriter()
        json.beginObject()
        json.member("now", exactly: "now_ms", clock.now)
        json.name("ahead_ms")
        json.value(clock.lead)
        if let happened {
            json.name("happened")
            json.beginArray()
            for happening in happened {
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
    /// How long what happens meanwhile may take.
    static let deadlineSeconds: Int64 = 120
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
            return ClockRoute.answer(of: clock, try await clock.advance(by: span.milliseconds))
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

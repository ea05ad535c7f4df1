/// An event of the simulated store while the server's clock was put forward, as the server reports it.
struct ClockHappening {
    /// The time in RFC 3339.
    let at: String
    let event: String
    let result: String

    /// The event as a line of text.
    var line: String { "\(at)  \(event): \(result)" }

    /// The events in an answer of `/dev/clock`, in the order in which they happened.
    static func all(in answer: RunningServer.Answer) -> [ClockHappening] {
        let happened = answer.members["happened"] as? [[String: Any]] ?? []
        return happened.compactMap { members in
            guard let at = members["at"] as? String, let event = members["event"] as? String,
                let result = members["result"] as? String
            else { return nil }
            return ClockHappening(at: at, event: event, result: result)
        }
    }
}

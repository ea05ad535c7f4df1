/// Something that the simulated store did by itself while the clock went forward, as the server tells it.
struct ClockHappening {
    /// RFC 3339.
    let at: String
    let event: String
    let result: String

    /// For people.
    var line: String { "\(at)  \(event): \(result)" }

    /// In the order in which they happened.
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

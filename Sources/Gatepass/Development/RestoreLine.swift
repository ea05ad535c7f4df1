/// The answer to a restore in words.
struct RestoreLine {
    /// For example `2 purchases: 1 attached, 1 already attached; Apple's history is complete and brought 1 more`.
    let text: String

    /// Reads an answer of `POST /api/iap/apple/restore` (`api.md`, "Restore").
    init(_ answer: RunningServer.Answer) {
        let summary = answer.members["summary"] as? [String: Any] ?? [:]
        let results = answer.members["results"] as? [[String: Any]] ?? []
        let counts = [
            ("attached", "attached"), ("already_attached", "already attached"), ("revoked", "revoked"),
            ("recorded", "recorded"), ("duplicates", "sent twice"), ("refused", "refused"),
        ].compactMap { name, words in (summary[name] as? Int).flatMap { $0 > 0 ? "\($0) \(words)" : nil } }
        let codes = Set(results.compactMap { $0["code"] as? String }).sorted()
        let reasons = codes.isEmpty ? "" : " (\(codes.joined(separator: ", ")))"
        text =
            "\(results.count.counted("purchase")): \(counts.joined(separator: ", "))\(reasons); "
            + Self.words(ofHistory: answer.members["history"] as? String, bringing: summary["recovered"] as? Int ?? 0)
    }

    private static func words(ofHistory history: String?, bringing recovered: Int) -> String {
        switch history {
        case "complete": "Apple's history is complete" + (recovered > 0 ? " and brought \(recovered) more" : "")
        case "recent": "Apple's history was read less than 10 minutes ago"
        case "pending": "Apple's history is still being read"
        case "unavailable": "Apple's history is not to be had now"
        default: "Apple's history is not read here"
        }
    }
}

import EntitlementAPI
import Entitlements

/// An event of a story, and the server's answer about the subscription afterwards.
struct StoryScene {
    let at: Instant
    let event: String
    /// The result in the webhook's answer.
    let result: String
    /// The answer of `GET /api/billing/subscriptions/check/{user_id}`.
    let subscription: [String: Any]

    var document: [String: Any] {
        ["at": RFC3339.text(of: at), "event": event, "result": result, "subscription": subscription]
    }

    /// The scenes as a table of text, a scene a line.
    static func table(of scenes: [StoryScene]) -> String {
        let header = ["date", "event", "webhook", "status", "plan", "devices", "expires"]
        let rows = [header] + scenes.map(\.row)
        let widths = header.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            zip(row.dropLast(), widths).map { $0 + String(repeating: " ", count: $1 - $0.count) + "  " }.joined()
                + (row.last ?? "")
        }.joined(separator: "\n")
    }

    private var row: [String] {
        let columns = ["status", "plan_id", "devices", "expires_at"].map { name in
            subscription[name].map { "\($0)" } ?? "–"
        }
        return [RFC3339.text(of: at), event, result] + columns
    }
}

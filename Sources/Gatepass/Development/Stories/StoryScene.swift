import EntitlementAPI
import Entitlements

/// Something that happened in a story, and what the server says of the subscription afterwards.
struct StoryScene {
    let at: Instant
    let event: String
    /// The webhook's answer.
    let result: String
    /// As `GET /api/billing/subscriptions/check/{user_id}` answers.
    let subscription: [String: Any]

    var document: [String: Any] {
        ["at": RFC3339.text(of: at), "event": event, "result": result, "subscription": subscription]
    }

    /// The scenes in lines, one below the other in columns.
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

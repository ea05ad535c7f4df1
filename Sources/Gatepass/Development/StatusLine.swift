import Entitlements
import Foundation

/// A user's status in one line of text, from the server's answer (`api.md`, "Status").
struct StatusLine {
    let text: String

    /// Reads an answer of `GET /api/iap/apple/status`.
    init(of user: UserID, _ answer: RunningServer.Answer) {
        let status = answer.members
        guard answer.isOK, let isActive = status["active"] as? Bool else {
            text = "What \(user.text) has is not known: the server answered \(answer.status)"
            return
        }
        let tier = (status["tier"] as? String).map { "tier \($0)" } ?? "no tier"
        let end = status["expires_at"] as? String
        guard isActive else {
            text = "\(user.text) has \(tier) and no access" + (end.map { "; the last ended at \($0)" } ?? "")
            return
        }
        let grace = status["state"] as? String == "grace" ? ", in grace" : ""
        text = "\(user.text) has \(tier)\(grace), \(end.map { "until \($0)" } ?? "without an end")"
    }
}

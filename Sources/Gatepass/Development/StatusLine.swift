import Entitlements
import EntitlementAPI
import Foundation

/// A user's status in one line of text.
struct StatusLine {
    let text: String

    init(_ status: Status) {
        self.init(
            of: status.user, isActive: status.active, tier: status.tier?.text, state: status.state.rawValue,
            until: status.expiresAt.map { RFC3339.text(of: $0) })
    }

    /// Reads an answer of `GET /api/iap/apple/status` (`api.md`, "Status").
    init(of user: UserID, _ answer: RunningServer.Answer) {
        let status = answer.members
        guard answer.isOK, let isActive = status["active"] as? Bool else {
            self.init(text: "What \(user.text) has is not known: the server answered \(answer.status)")
            return
        }
        self.init(
            of: user, isActive: isActive, tier: status["tier"] as? String, state: status["state"] as? String,
            until: status["expires_at"] as? String)
    }

    private init(text: String) {
        self.text = text
    }

    private init(of user: UserID, isActive: Bool, tier: String?, state: String?, until end: String?) {
        let tier = tier.map { "tier \($0)" } ?? "no tier"
        guard isActive else {
            text = "\(user.text) has \(tier) and no access" + (end.map { "; the last ended at \($0)" } ?? "")
            return
        }
        let grace = state == "grace" ? ", in grace" : ""
        text = "\(user.text) has \(tier)\(grace), \(end.map { "until \($0)" } ?? "without an end")"
    }
}

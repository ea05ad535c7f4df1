import EntitlementAPI
import Entitlements

/// The result of an attempt to deliver a notification.
struct NotificationAnswer {
    /// Nil when none came.
    let answer: RunningServer.Answer?
    /// Nil when it is not tried again.
    let nextAttempt: Instant?

    init(_ answer: RunningServer.Answer?, nextAttempt: Instant?) {
        self.answer = answer
        self.nextAttempt = nextAttempt
    }

    /// `applied`, or why not and what follows.
    var words: String {
        if answer?.isOK == true { return answer?.code ?? "taken" }
        let reason = answer.map { $0.code ?? "\($0.status)" } ?? "no answer"
        return reason + (nextAttempt.map { ", tried again at \(RFC3339.text(of: $0))" } ?? "")
    }
}

extension RunningServer.Answer {
    /// The server's word for its effect: `applied`, `attached`, or the code of a refusal.
    var code: String? {
        let members = members
        return (members["result"] ?? members["outcome"] ?? members["code"]) as? String
    }
}

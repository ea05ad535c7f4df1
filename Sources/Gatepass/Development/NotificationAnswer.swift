import EntitlementAPI
import Entitlements

/// The result of an attempt to deliver a notification.
struct NotificationAnswer {
    /// The server's answer; nil if there was none.
    let answer: RunningServer.Answer?
    /// The instant of the next attempt; nil if there will be none.
    let nextAttempt: Instant?

    init(_ answer: RunningServer.Answer?, nextAttempt: Instant?) {
        self.answer = answer
        self.nextAttempt = nextAttempt
    }

    /// The result in words: `applied`, or the reason of the failure and the time of the next attempt.
    var words: String {
        if answer?.isOK == true { return answer?.code ?? "taken" }
        let reason = answer.map { $0.code ?? "\($0.status)" } ?? "no answer"
        return reason + (nextAttempt.map { ", tried again at \(RFC3339.text(of: $0))" } ?? "")
    }
}

extension RunningServer.Answer {
    /// The result that the answer names: `applied`, `attached`, or the code of a problem.
    var code: String? {
        let members = members
        return (members["result"] ?? members["outcome"] ?? members["code"]) as? String
    }
}

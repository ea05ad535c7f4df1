package import Entitlements

/// A question of the App Store how much of a purchase was used, as operators see it in lists.
package struct ConsumptionRequest: Hashable, Sendable {
    /// The state of a question; the raw value is what the API reads and writes.
    package enum State: String, Hashable, Sendable, CaseIterable {
        /// A job is to answer it.
        case open
        case answered
        /// The App Store was told nothing, or refused what it was told.
        case unanswered
    }

    /// The row's id. A question that was recorded later has a larger one, if one node wrote both.
    package let id: UInt64
    package let question: ConsumptionQuestion
    /// The instant from which an answer comes too late.
    package let deadline: Instant
    /// The user who had the purchase when it was decided, or asked while it is open; nil if nobody did.
    package let owner: UserID?
    /// True if that user allowed an answer; nil where it was not looked at.
    package let consent: Bool?
    /// The instant of the answer, or of the decision to give none; nil while the question is open.
    package let decidedAt: Instant?
    /// The reason why the App Store knows nothing; nil if it does, or may still be told.
    package let silence: ConsumptionSilence?
    /// The answer, also one that the App Store refused.
    package let answer: ConsumptionAnswer?
    /// The code of the App Store's refusal.
    package let refusal: Int?

    package var state: State { decidedAt == nil ? .open : silence == nil ? .answered : .unanswered }

    /// The question and what became of it, as an English sentence.
    package var sentence: String {
        let outcome =
            switch state {
            case .open: "is not answered yet"
            case .answered: "was told: " + (answer?.words ?? "")
            case .unanswered:
                "was told nothing, because " + (silence?.words ?? "") + (refusal.map { " (\($0))" } ?? "")
            }
        return "Apple asked about a refund of transaction \(question.transaction) and \(outcome)."
    }

    /// The instant at which the question got its present state.
    package var changedAt: Instant { decidedAt ?? question.askedAt }

    /// The number of facts in `ledger` that were recorded before the question was asked: its place in a timeline, which
    /// no later fact changes.
    package func place(in ledger: UserLedger) -> Int {
        ledger.entries.count { $0.recordedAt <= question.askedAt }
    }
}

/// The result of a question that is decided.
package struct ConsumptionOutcome: Sendable {
    /// True if the user who has the purchase allowed an answer; nil where it was not looked at.
    package let consent: Bool?
    package let silence: ConsumptionSilence?
    /// The answer, also one that the App Store refused.
    package let answer: ConsumptionAnswer?
    /// The code of the App Store's refusal.
    package let refusal: Int?

    package init(
        consent: Bool?, silence: ConsumptionSilence? = nil, answer: ConsumptionAnswer? = nil, refusal: Int? = nil
    ) {
        self.consent = consent
        self.silence = silence
        self.answer = answer
        self.refusal = refusal
    }
}

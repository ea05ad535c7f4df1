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

    /// The row's id. A question that was recorded later has a larger one.
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

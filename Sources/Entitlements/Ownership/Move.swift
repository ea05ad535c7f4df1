/// A purchase on its way from its owner to another user.
package struct Move: Hashable, Sendable {
    package let receiver: UserID
    package let handover: Handover
    /// When it holds in both ledgers.
    package let effectiveAt: Instant
    package let note: Note?

    package init(to receiver: UserID, _ handover: Handover, at effectiveAt: Instant, note: Note? = nil) {
        self.receiver = receiver
        self.handover = handover
        self.effectiveAt = effectiveAt
        self.note = note
    }
}

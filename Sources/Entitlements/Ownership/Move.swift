/// The transfer of a purchase to another user, which a decision asks for.
package struct Move: Hashable, Sendable {
    package let receiver: UserID
    package let handover: Handover
    /// The instant from which the transfer holds in both ledgers.
    package let effectiveAt: Instant
    package let note: Note?

    package init(to receiver: UserID, _ handover: Handover, at effectiveAt: Instant, note: Note? = nil) {
        self.receiver = receiver
        self.handover = handover
        self.effectiveAt = effectiveAt
        self.note = note
    }
}

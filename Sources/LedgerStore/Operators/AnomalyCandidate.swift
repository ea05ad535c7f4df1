package import Entitlements

/// A purchase of which neither the projection nor the catalogue tells that it is in order.
package struct AnomalyCandidate: Hashable, Sendable {
    /// Grows with each purchase that is recorded.
    package let id: UInt64
    /// Nil while nobody has it.
    package let owner: UserID?
    /// What was recorded of it last.
    package let state: VerifiedPurchase
    /// When that was.
    package let recordedAt: Instant

    package init(id: UInt64, owner: UserID?, state: VerifiedPurchase, recordedAt: Instant) {
        self.id = id
        self.owner = owner
        self.state = state
        self.recordedAt = recordedAt
    }
}

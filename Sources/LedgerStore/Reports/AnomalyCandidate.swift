package import Entitlements

/// A purchase that may be an anomaly: neither the projection nor the catalogue shows that it is in order.
package struct AnomalyCandidate: Hashable, Sendable {
    /// Grows with each purchase that is recorded.
    package let id: UInt64
    /// Nil while nobody has it.
    package let owner: UserID?
    /// The last recorded state.
    package let state: VerifiedPurchase
    /// When that was.
    package let recordedAt: Instant
    /// True if undecisive members of a text about the purchase could not be read.
    package let hasUnreadable: Bool

    package init(
        id: UInt64, owner: UserID?, state: VerifiedPurchase, recordedAt: Instant, hasUnreadable: Bool = false
    ) {
        self.id = id
        self.owner = owner
        self.state = state
        self.recordedAt = recordedAt
        self.hasUnreadable = hasUnreadable
    }
}

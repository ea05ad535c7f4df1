package import Entitlements

/// A purchase that may be a late pass: its coverage had ended when it became its owner's.
package struct LatePassCandidate: Hashable, Sendable {
    /// Grows with each purchase that is recorded.
    package let id: UInt64
    package let key: PurchaseKey
    package let owner: UserID

    package init(id: UInt64, key: PurchaseKey, owner: UserID) {
        self.id = id
        self.key = key
        self.owner = owner
    }
}

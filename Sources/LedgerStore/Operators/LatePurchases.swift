package import Entitlements

/// Some of the purchases whose coverage had ended when they became their owners', the last recorded first.
package struct LatePurchases: Sendable {
    /// Such a purchase.
    package struct Member: Hashable, Sendable {
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

    package let members: [Member]
    /// Only what stands before it is left; nil when everything was gone over.
    package let next: UInt64?

    package init(members: [Member], next: UInt64?) {
        self.members = members
        self.next = next
    }
}

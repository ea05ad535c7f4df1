package import Entitlements

/// A page of the users who had coverage in a span of time.
package struct CoveredUsers: Sendable {
    /// A user and their pseudonym.
    package struct Member: Hashable, Sendable {
        package let user: UserID
        package let pseudonym: UInt64

        package init(user: UserID, pseudonym: UInt64) {
            self.user = user
            self.pseudonym = pseudonym
        }
    }

    /// Where the next page begins; coverage that ends first comes first.
    package struct Place: Hashable, Sendable {
        package let expiresAt: Instant
        package let purchase: UInt64
        package let pseudonym: UInt64

        package init(expiresAt: Instant, purchase: UInt64, pseudonym: UInt64) {
            self.expiresAt = expiresAt
            self.purchase = purchase
            self.pseudonym = pseudonym
        }

        /// Before whatever ends after `instant`.
        package init(after instant: Instant) {
            self.init(expiresAt: instant, purchase: .max, pseudonym: .max)
        }
    }

    package let members: [Member]
    /// Where to go on; nil when everybody was gone over.
    package let next: Place?

    package init(members: [Member], next: Place?) {
        self.members = members
        self.next = next
    }
}

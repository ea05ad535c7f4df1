package import Entitlements

/// Some of the Apple accounts whose purchases several users have, the one that a state was last recorded of first.
package struct AccountConflicts: Sendable {
    /// Such an account; each app has another id for it.
    package struct Conflict: Hashable, Sendable {
        /// Grows with each state that is recorded of the account.
        package let id: UInt64
        /// Of an erased person what stands in its place, which names nobody.
        package let account: AppTransactionID
        package let app: AppID
        package let environment: StoreEnvironment
        /// In the order in which they were first seen.
        package internal(set) var owners: [Owner]

        package init(
            id: UInt64, account: AppTransactionID, app: AppID, environment: StoreEnvironment, owners: [Owner]
        ) {
            self.id = id
            self.account = account
            self.app = app
            self.environment = environment
            self.owners = owners
        }
    }

    /// Somebody who has purchases of the account now.
    package struct Owner: Hashable, Sendable {
        /// Nil once they were erased.
        package let user: UserID?
        /// How many purchases, a chain being one.
        package let purchases: Int

        package init(user: UserID?, purchases: Int) {
            self.user = user
            self.purchases = purchases
        }
    }

    package let conflicts: [Conflict]
    /// Only what stands before it is left; nil when everything was gone over.
    package let next: UInt64?

    package init(conflicts: [Conflict], next: UInt64?) {
        self.conflicts = conflicts
        self.next = next
    }
}

package import Entitlements

/// An Apple account whose purchases several users have; each app has another id for it.
package struct AccountConflict: Hashable, Sendable {
    /// A user who has purchases of the account now.
    package struct Owner: Hashable, Sendable {
        /// Nil once they are erased.
        package let user: UserID?
        /// How many purchases, a chain being one.
        package let purchases: Int

        package init(user: UserID?, purchases: Int) {
            self.user = user
            self.purchases = purchases
        }
    }

    /// Grows with each state that is recorded of the account.
    package let id: UInt64
    package let account: Label
    package let app: AppID
    package let environment: StoreEnvironment
    /// In the order in which they were first seen.
    package internal(set) var owners: [Owner]

    package init(
        id: UInt64, account: Label, app: AppID, environment: StoreEnvironment, owners: [Owner]
    ) {
        self.id = id
        self.account = account
        self.app = app
        self.environment = environment
        self.owners = owners
    }
}

/// Units that an erased person owes, or owed, and that follow their Apple account to whoever shows a purchase of it
/// (`semantics.md` §5).
///
/// It is an amount of a purse and of no lot: lots stay where they are, and so does what a reversal gives back later.
package struct Debt: Hashable, Sendable {
    /// Whose purchases were refunded; a store names an account anew in each app and environment.
    package let account: Label
    package let app: AppID
    package let environment: StoreEnvironment
    package let unit: String
    package let units: Int

    package init(
        of account: Label, in app: AppID, _ environment: StoreEnvironment, _ units: Int, unit: String
    ) {
        self.account = account
        self.app = app
        self.environment = environment
        self.unit = unit
        self.units = units
    }

    package var purse: Purse { Purse(unit: unit, environment: environment) }

    /// Whether the account that it is of made the purchase that `state` shows.
    func isOwed(byBuyerOf state: VerifiedPurchase) -> Bool {
        state.account == account && state.key.app == app && state.key.environment == environment
    }
}

/// The proof of the caller's Apple account: a verified app transaction names it (`semantics.md` §5).
///
/// Apple gives an account another name in each app and environment, so the proof counts only for purchases of its own
/// app and environment.
package struct AccountProof: Hashable, Sendable {
    package let account: Label
    package let app: AppID
    package let environment: StoreEnvironment

    package init(of account: Label, in app: AppID, _ environment: StoreEnvironment) {
        self.account = account
        self.app = app
        self.environment = environment
    }

    /// True if `state` is of a purchase that this Apple account made.
    func covers(_ state: VerifiedPurchase) -> Bool {
        state.account == account && state.key.app == app && state.key.environment == environment
    }
}

/// The Apple account of whoever sends a request, as a verified app transaction shows it (`semantics.md` §5).
///
/// Apple names an account anew in each app and environment, so the proof is good for purchases of its own only.
package struct AccountProof: Hashable, Sendable {
    package let account: Label
    package let app: AppID
    package let environment: StoreEnvironment

    package init(of account: Label, in app: AppID, _ environment: StoreEnvironment) {
        self.account = account
        self.app = app
        self.environment = environment
    }

    /// True if `state` shows a purchase that this account made.
    func covers(_ state: VerifiedPurchase) -> Bool {
        state.account == account && state.key.app == app && state.key.environment == environment
    }
}

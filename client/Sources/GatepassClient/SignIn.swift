import Foundation

/// How this server learns who is asking.
public enum SignIn: Sendable {
    /// The app's own login: its present token, for each request. It throws where nobody is signed in.
    case token(@Sendable () async throws -> String)
    /// The Apple account, where the server has `auth.apple_accounts.enabled`. On Apple's systems: `.appleAccount`.
    case appTransaction(@Sendable () async throws -> SignedAppTransaction)
}

/// StoreKit's statement of an Apple account.
public struct SignedAppTransaction: Sendable {
    /// The `jwsRepresentation` of an `AppTransaction`.
    public let text: String
    /// Whose it is: the environment and the id of the account. Under another one's a kept token is not used.
    public let account: String

    public init(text: String, account: String) {
        self.text = text
        self.account = account
    }
}

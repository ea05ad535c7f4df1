import Foundation

/// How the server learns who is asking.
public enum SignIn: Sendable {
    /// The app's own login: its present token, for each request; nil where nobody is signed in. Where it throws there
    /// is no answer, as without a network.
    case token(@Sendable () async throws -> String?)
    /// The Apple account, where the server has `auth.apple_accounts.enabled`: the `jwsRepresentation` of an
    /// `AppTransaction`. On Apple's systems that is `.appleAccount`.
    case appTransaction(@Sendable () async throws -> String)
}

/// A token of this server for an Apple account.
struct Session: Codable, Sendable {
    /// The environment and the id of the account: under another one the token is not used.
    let account: String
    let token: String
    let expiresAt: Date

    static func account(of appTransaction: String) -> String {
        ["receiptType", "appTransactionId"].map { unverifiedClaim($0, of: appTransaction) ?? "" }.joined(separator: " ")
    }
}

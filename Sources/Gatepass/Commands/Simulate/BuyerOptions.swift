import ArgumentParser
import Entitlements
import Foundation

/// With which Apple account and which account token somebody buys.
struct BuyerOptions: ParsableArguments {
    @OptionGroup var environment: EnvironmentOptions

    @Option(help: "The user whose Apple account buys (default: the user's own).")
    var appleAccount: String?

    @Option(help: "The appAccountToken of the purchase, a UUID (default: none; by notification the user's own).")
    var accountToken: String?

    @Flag(help: "A family member bought it and shares it with the user.")
    var familyShared = false

    @Flag(help: "The app sends nothing: the server learns of it by the notification alone.")
    var byNotification = false

    /// What the texts carry. The server on `installation` is asked for the user's token where only that can name the
    /// user. Throws when the option is no UUID, and `RunningServer.Failure` when there is no server to ask.
    func token(of user: UserID, from installation: Installation) async throws -> String? {
        if let given = try givenToken() { return given }
        guard byNotification, !familyShared else { return nil }
        guard installation.runningAddress != nil else {
            throw RunningServer.Failure(
                description:
                    "no server runs in \(installation.directory.path) that could issue an account token: start "
                    + "one, or name a token with --account-token")
        }
        return try await RunningServer(on: installation).accountToken(of: user)
    }

    /// That of `--account-token`. Throws when it is no UUID.
    func givenToken() throws -> String? {
        guard let accountToken else { return nil }
        guard let token = AccountToken(accountToken) else {
            throw ValidationError("--account-token \(accountToken): write a UUID")
        }
        return token.description
    }
}

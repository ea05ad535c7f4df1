import ArgumentParser
import Entitlements

/// `gatepass token USER`: prints a user token for development.
struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Print a user token for the development installation, good for a day.",
        discussion: "For example: gatepass token anna")

    @Argument(help: "The user's id: 1 to 128 of letters, digits and ._:@|+=-; quote it in a shell.")
    var user: String

    @OptionGroup var installation: InstallationOptions

    /// Reads no settings, because `gatepass dev` always signs in with the installation's secret. Throws for a wrong
    /// user id, and the exit status 1 if there is no installation.
    func run() async throws {
        guard let user = UserID(user) else { throw ValidationError("\(user) is no user id") }
        guard !user.isAppleAccount else {
            throw ValidationError(
                """
                \(user.text) stands for an Apple account, and no login may name one: its app signs in by POST \
                /api/iap/apple/sign-in with an app transaction, which `gatepass simulate app-transaction` prints
                """)
        }
        let installation = installation.installation
        try await Startup.reporting {
            try installation.requireMade()
            print(try await DevelopmentToken.make(for: user, secret: try installation.secret()))
        }
    }
}

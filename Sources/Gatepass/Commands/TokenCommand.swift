import ArgumentParser
import Entitlements

/// `gatepass token USER`: a user token for development.
struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Print a user token for the development installation, good for a day.")

    @Argument(help: "The user's id: 1 to 128 of letters, digits and ._:@|+=-; quote it in a shell.")
    var user: String

    @OptionGroup var installation: InstallationOptions

    /// Reads no settings: `gatepass dev` signs in by the installation's secret, whatever they say. Throws when the user
    /// id is none, and the exit status 1 where there is no installation.
    func run() async throws {
        guard let user = UserID(user) else { throw ValidationError("\(user) is no user id") }
        let installation = Installation(path: installation.dataDir)
        try await Startup.reporting {
            try installation.requireMade()
            print(try await DevelopmentToken.make(for: user, secret: try installation.secret()))
        }
    }
}

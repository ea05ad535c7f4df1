import ArgumentParser
import Entitlements
import LedgerStore

/// `gatepass user erase`: the person is gone for good, and what they bought stays under a pseudonym.
struct UserEraseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "erase",
        abstract: "Erase a person for good; what they bought stays, and only their Apple account can claim it.")

    @OptionGroup var about: UserOptions

    @Option(help: "Why, for the audit trail; it is kept, so it should name nobody.")
    var reason: String

    /// Throws what is wrong with the user id, and the exit status 1 when there is no such user or the database is away.
    func run() async throws {
        let user = try about.id()
        try ReasonOptions.require(reason)
        let overrides = try Startup.reporting { try about.installation.overridesForKeys() }
        let startup = try Startup(about.options, overrides: overrides)
        try await Startup.reporting {
            let erased = try await startup.withPool { pool in
                try await Erasure(pool: pool, key: startup.settings.tokens.tombstoneKey)
                    .erase(user, by: .commandLine, reason: reason)
            }
            guard let erased else { throw UserMissing(user: user) }
            print("\(user.text) is erased; what is left stands under \(erased.text)")
        }
    }
}

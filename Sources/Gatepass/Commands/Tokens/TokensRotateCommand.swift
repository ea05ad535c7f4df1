import ArgumentParser
import EntitlementAPI
import LedgerStore

/// `gatepass tokens rotate`: a new key signs from now on; what the others signed verifies until it ends.
struct TokensRotateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate",
        abstract: "Sign entitlement tokens with a new key; running servers take it up by themselves.")

    @OptionGroup var why: ReasonOptions

    @OptionGroup var installation: InstallationOptions

    /// Throws the exit status 1 when a fault was printed, also for another key-encryption key than the installation's.
    func run() async throws {
        let startup = try installation.startupForKeys()
        try await Startup.reporting {
            let kid = try await startup.withPool { pool in
                // No server could sign with a key that was sealed otherwise than the installation's.
                _ = try await LedgerSettings(startup.settings, from: pool, clock: startup.clock)
                return try await SigningKeys(startup.settings.tokens, pool: pool, clock: startup.clock).rotate(
                    why.trailWriter)
            }
            print("\(kid) signs from now on")
        }
    }
}

import ArgumentParser
import EntitlementAPI
import LedgerStore

/// `gatepass tokens rotate`: makes a new signing key. Tokens that older keys signed stay valid until they expire.
struct TokensRotateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate",
        abstract: "Sign entitlement tokens with a new key; running servers take it up by themselves.")

    @OptionGroup var why: ReasonOptions

    @OptionGroup var installation: InstallationOptions

    /// Throws the exit status 1 if a fault was printed, for example if the key-encryption key is not the
    /// installation's.
    func run() async throws {
        let startup = try installation.startupForKeys()
        try await Startup.reporting {
            let kid = try await startup.withPool { pool in
                // This fails for a key-encryption key that is not the installation's. Sealed with it, the new key would
                // be unreadable for every server.
                _ = try await LedgerSettings(startup.settings, from: pool, clock: startup.clock)
                return try await SigningKeys(startup.settings.tokens, pool: pool, clock: startup.clock).rotate(
                    why.trailWriter)
            }
            print("\(kid) signs from now on")
        }
    }
}

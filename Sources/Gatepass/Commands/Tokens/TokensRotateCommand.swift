import ArgumentParser
import EntitlementAPI
import LedgerStore

/// `gatepass tokens rotate`: makes a new signing key. Tokens that older keys signed stay valid until they expire.
struct TokensRotateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate",
        abstract: "Sign entitlement tokens with a new key; running servers take it up by themselves.",
        discussion: "For example: gatepass tokens rotate --reason yearly")

    @OptionGroup var why: ReasonOptions

    @OptionGroup var output: ActOutput

    @OptionGroup var installation: InstallationOptions

    /// Throws the exit status 1 if a fault was printed, for example if the key-encryption key is not the
    /// installation's.
    func run() async throws {
        let startup = try installation.startupToAct()
        try await Startup.reporting {
            let line = try await startup.withPool { pool in
                // This fails for a key-encryption key that is not the installation's. Sealed with it, the new key would
                // be unreadable for every server.
                _ = try await LedgerSettings(startup.settings, from: pool, clock: startup.clock)
                let keys = SigningKeys(startup.settings, pool: pool, clock: startup.clock)
                guard !output.dryRun else { return try await keys.previewedRotation().text(json: output.json) }
                let kid = try await keys.rotate(why.trailWriter)
                return output.json ? try JSONText.pretty(["kid": kid]) : "\(kid) signs from now on"
            }
            print(line)
        }
    }
}

import ArgumentParser

/// `gatepass catalog apply`: puts the catalogue file in force as a new version, unless the version in force is the
/// same.
struct CatalogueApplyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apply", abstract: "Put the catalogue in force; running servers take it up by themselves.")

    @OptionGroup var why: ReasonOptions

    @OptionGroup var installation: InstallationOptions

    /// Throws the exit status 1 if a fault was printed.
    func run() async throws {
        let startup = try installation.startup()
        let file = try startup.catalogueFile()
        try await Startup.reporting {
            let applied = try await startup.withPool { pool in
                try await CatalogueApplier(pool: pool, settings: startup.settings, clock: startup.clock)
                    .apply(file, audit: why.trailWriter)
            }
            let version = "version \(applied.version)"
            print(applied.isNew ? "\(version) is in force" : "nothing to do: \(version) says the same")
        }
    }
}

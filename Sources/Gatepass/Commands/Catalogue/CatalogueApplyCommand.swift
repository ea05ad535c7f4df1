import ArgumentParser

/// `gatepass catalog apply`: makes the file the version in force, unless it says the same already.
struct CatalogueApplyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apply", abstract: "Put the catalogue in force; running servers take it up by themselves.")

    @OptionGroup var why: ReasonOptions

    @OptionGroup var installation: InstallationOptions

    /// Throws the exit status 1 when a fault was printed.
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

import ArgumentParser
import LedgerStore

/// `gatepass catalog apply`: puts the catalogue file in force as a new version, unless the version in force is the
/// same.
struct CatalogueApplyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apply", abstract: "Put the catalogue in force; running servers take it up by themselves.",
        discussion: "For example: gatepass catalog apply --catalog my-app.yaml --reason autumn")

    @OptionGroup var why: ReasonOptions

    @OptionGroup var output: ActOutput

    @OptionGroup var installation: InstallationOptions

    @Flag(help: "Return once the standings of all users follow from the new version.")
    var wait = false

    /// Throws the exit status 1 if a fault was printed.
    func run() async throws {
        let startup = try installation.startupToAct()
        let file = try startup.catalogueFile()
        try await Startup.reporting {
            guard !output.dryRun else { return try await startup.printPlan(of: file, json: output.json) }
            let applied = try await startup.withPoolToAct { pool in
                try await CatalogueApplier(pool: pool, clock: startup.clock, environment: startup.settings.environment)
                    .apply(file, audit: why.trailWriter)
            }
            let version = "version \(applied.version)"
            print(
                output.json
                    ? try JSONText.pretty(["catalog_version": applied.version, "is_new": applied.isNew])
                    : applied.isNew ? "\(version) is in force" : "nothing to do: \(version) says the same")
            if wait { try await startup.withStore { try await Self.makeAllDueAnew(in: $0.standings) } }
        }
    }

    /// Works beside running servers, and returns when no standing is outdated.
    private static func makeAllDueAnew(in standings: Standings) async throws {
        while true {
            while try await standings.makeDueAnew() > 0 {}
            guard try await standings.overdue(limit: 1).outdated > 0 else { return }
            try await Task.sleep(for: .milliseconds(100))
        }
    }
}

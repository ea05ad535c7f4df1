import ArgumentParser
import EntitlementAPI

/// `gatepass catalog plan`: says what a catalogue would change, beside running servers, and changes nothing.
struct CataloguePlanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan", abstract: "Say who would gain and who would lose by a catalogue, and what becomes known.",
        discussion: "For example: gatepass catalog plan my-app.yaml")

    @Argument(help: "The catalogue; the one that other commands use without it.")
    var file: String?

    @Flag(help: "Print JSON, with everybody in it.")
    var json = false

    @OptionGroup var installation: InstallationOptions

    /// Throws the exit status 1 if a fault was printed.
    func run() async throws {
        let startup = try installation.startup()
        let catalogue = try startup.catalogueFile(named: file)
        try await Startup.reporting { try await startup.printPlan(of: catalogue, json: json) }
    }
}

extension Startup {
    /// Prints what `file` would change, with a progress bar on the way. Throws all faults of the file, or if the
    /// database cannot be reached.
    func printPlan(of file: CatalogueFile, json: Bool) async throws {
        let plan = try await withPool { pool in
            let bar = ProgressBar()
            defer { bar.clear() }
            return try await CatalogueApplier(pool: pool, clock: clock, environment: settings.environment).plan(
                file, under: settings.entitlements
            ) {
                bar.show($1, "\($1)%, \($0) users looked at")
            }
        }
        guard !json else { return print(try JSONText.pretty(plan.document)) }
        for line in plan.lines { print(VisibleText.escaped(line)) }
    }
}

import ArgumentParser
import LedgerStore

/// `gatepass migrate`: applies missing migrations to the schema. It can be repeated, and run by several processes at
/// once.
struct MigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate", abstract: "Apply the migrations that the database does not have yet.",
        discussion: "--migrations DIR names another directory than migrations. For example: gatepass migrate")

    /// The time-out of a statement: 12 hours in seconds, because a migration may rewrite a large table.
    private static let longestStep = 43_200

    @OptionGroup var installation: InstallationOptions

    /// Throws the exit status 1 if a migration is refused or the database cannot be reached.
    func run() async throws {
        let startup = try installation.startupToAct()
        try await Startup.reporting {
            let migrations = try startup.files.migrations(startup.options.migrations)
            let done = try await startup.withPool(longestStatement: Self.longestStep) { pool in
                try await Migrator(pool: pool, migrations: migrations).migrate()
            }
            let schema = "schema \(migrations.count)"
            print(done.isEmpty ? "nothing to do: \(schema)" : "applied \(done.count): \(schema)")
        }
    }
}

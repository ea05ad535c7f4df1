import ArgumentParser
import LedgerStore

/// `gatepass migrate`: brings the schema forward; safe to repeat, and by several at once.
struct MigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate", abstract: "Apply the migrations that the database does not have yet.")

    /// A step may write a large table anew; 12 hours.
    private static let longestStep = 43_200

    @OptionGroup var options: CommandOptions

    /// Throws the exit status 1 when a migration is refused or the database is away.
    func run() async throws {
        let startup = try Startup(options)
        try await Startup.reporting {
            let migrations = try startup.files.migrations(options.migrations)
            let done = try await startup.withPool(longestStatement: Self.longestStep) { pool in
                try await Migrator(pool: pool, migrations: migrations).migrate()
            }
            let schema = "schema \(migrations.count)"
            print(done.isEmpty ? "nothing to do: \(schema)" : "applied \(done.count): \(schema)")
        }
    }
}

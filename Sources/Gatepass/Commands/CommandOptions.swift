import ArgumentParser

/// The options that every command takes (`contract.md` §6).
struct CommandOptions: ParsableArguments {
    @Option(help: "The settings (default: \(FileLookup.defaultConfig), here or beside the binary).")
    var config: String?

    @Option(help: "The catalogue (default: \(FileLookup.defaultCatalog), here, around --config or beside the binary).")
    var catalog: String?

    @Option(
        help: "The migrations (default: \(FileLookup.defaultMigrations), here, around --config or beside the binary).")
    var migrations: String?
}

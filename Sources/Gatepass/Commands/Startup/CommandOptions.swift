import ArgumentParser

/// The options that every command takes.
struct CommandOptions: ParsableArguments {
    @Option(help: "The settings (default: \(FileLookup.defaultConfig), here or beside the binary).")
    var config: String?

    @Option(
        name: .customLong("catalog"),
        help: "The catalogue (default: \(FileLookup.defaultCatalogue), here, around --config or beside the binary).")
    var catalogue: String?

    @Option(
        help: "The migrations (default: \(FileLookup.defaultMigrations), here, around --config or beside the binary).")
    var migrations: String?
}

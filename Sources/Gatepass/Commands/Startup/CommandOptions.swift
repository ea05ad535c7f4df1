import ArgumentParser

/// The options that every command takes. The help shows the settings alone, because most commands read nothing else.
struct CommandOptions: ParsableArguments {
    @Option(help: "The settings (default: \(FileLookup.defaultConfig), here or beside the binary).")
    var config: String?

    @Option(
        name: .customLong("catalog"),
        help: .init(
            "The catalogue (default: \(FileLookup.defaultCatalogue), here, around --config or beside the binary).",
            visibility: .hidden))
    var catalogue: String?

    @Option(
        help: .init(
            "The migrations (default: \(FileLookup.defaultMigrations), here, around --config or beside the binary).",
            visibility: .hidden))
    var migrations: String?
}

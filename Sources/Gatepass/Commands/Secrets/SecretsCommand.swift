import ArgumentParser

/// `gatepass secrets`: makes the secrets of a new installation.
struct SecretsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "secrets", abstract: "Make the secrets of a new installation.",
        subcommands: [SecretsCreateCommand.self])
}

/// `gatepass secrets create`: makes every secret that is not there yet. It needs no settings and no server.
struct SecretsCreateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Make every secret that a new installation needs, one file each, once.",
        discussion: """
            DIR gets a folder for each reader. server and migrate are credentials directories for gatepass serve and \
            gatepass migrate, and database has the passwords of the accounts root, gatepass and gatepass_migrate. What \
            is there already stays as it is.

            For example: gatepass secrets create secrets
            """)

    @Argument(help: ArgumentHelp("The directory, which is made if it is not there.", valueName: "dir"))
    var directory: String

    @OptionGroup var options: CommandOptions

    /// Throws the exit status 1, and prints why, if a secret cannot be made.
    func run() async throws {
        let lines = try made().map { "made \(directory)/\($0)" }
        print(lines.isEmpty ? "nothing to do: \(directory) has every secret" : lines.joined(separator: "\n"))
    }

    private func made() throws -> [String] {
        try Startup.reporting { try NewSecrets(directory: directory).create() }
    }
}

import ArgumentParser
import Foundation

/// The options of every command, and the directory of the development installation.
struct InstallationOptions: ParsableArguments {
    @OptionGroup var options: CommandOptions

    @Option(help: "The development installation's directory.")
    var dataDir = Installation.defaultDirectory

    /// Prepares a command. While the installation's server runs, the command uses its database and its clock. Throws
    /// the exit status 1 if a fault was printed.
    func startup() throws -> Startup { try Startup(options, overrides: overrides, clock: clock) }

    /// Prepares a command that also needs the key that seals the installation's stored keys. Throws the exit status 1
    /// if a fault was printed.
    func startupForKeys() throws -> Startup {
        try Startup(options, overrides: Startup.reporting { try overridesForKeys() }, clock: clock)
    }

    /// The installation's clock while its server runs; the real clock otherwise.
    var clock: WallClock { overrides.isEmpty ? .real : Installation(path: dataDir).clock.wallClock }

    /// The database settings of the installation while its server runs. Empty if none runs, or if the environment names
    /// a database.
    var overrides: [String: String] {
        let installation = Installation(path: dataDir)
        let environment = ProcessInfo.processInfo.environment
        let isNamed = environment["GATEPASS_DATABASE_SOCKET"] != nil || environment["GATEPASS_DATABASE_HOST"] != nil
        guard !isNamed, let database = installation.runningDatabase else { return [:] }
        return database
    }

    /// Prepares a command that looks at the whole server: with all settings that the installation's running server
    /// has. Throws the exit status 1 if a fault was printed.
    func startupAsServer() throws -> Startup {
        let running = overrides.isEmpty ? nil : Installation(path: dataDir).runningSettings
        return try Startup(options, overrides: running ?? [:], clock: clock)
    }

    /// The database settings, and the key that seals the installation's stored keys. Throws an error of the file
    /// system.
    func overridesForKeys() throws -> [String: String] {
        let overrides = overrides
        guard !overrides.isEmpty else { return [:] }
        let key = try Installation(path: dataDir).keyEncryptionKey()
        return overrides.merging(["tokens.key_encryption_key": key.base64]) { first, _ in first }
    }
}

import ArgumentParser
import Foundation

/// The options of every command, and those of commands that work on a development installation.
struct InstallationOptions: ParsableArguments {
    @OptionGroup var options: CommandOptions

    @Option(help: "The development installation's directory.")
    var dataDir = Installation.defaultDirectory

    /// The startup of a command that works on the installation's database while its server runs, by its clock. Throws
    /// the exit status 1 when a fault was printed.
    func startup() throws -> Startup { try Startup(options, overrides: overrides, clock: clock) }

    /// The startup, with the key that seals the installation's stored keys.
    func startupForKeys() throws -> Startup {
        try Startup(options, overrides: Startup.reporting { try overridesForKeys() }, clock: clock)
    }

    /// The installation's while its server runs; the real one otherwise.
    var clock: WallClock { overrides.isEmpty ? .real : Installation(path: dataDir).clock.wallClock }

    /// The settings that lead to the installation's database while its server runs; none otherwise.
    var overrides: [String: String] {
        let installation = Installation(path: dataDir)
        let environment = ProcessInfo.processInfo.environment
        let isNamed = environment["GATEPASS_DATABASE_SOCKET"] != nil || environment["GATEPASS_DATABASE_HOST"] != nil
        guard !isNamed, let database = installation.runningDatabase else { return [:] }
        return database
    }

    /// The overrides, with the key that seals the installation's stored keys. Throws errors of the file system.
    func overridesForKeys() throws -> [String: String] {
        let overrides = overrides
        guard !overrides.isEmpty else { return [:] }
        let key = try Installation(path: dataDir).keyEncryptionKey()
        return overrides.merging(["tokens.key_encryption_key": key.base64]) { first, _ in first }
    }
}

import ArgumentParser
import Foundation

/// Where a development installation lives; commands that work on it take this.
struct InstallationOptions: ParsableArguments {
    @Option(help: "The development installation's directory.")
    var dataDir = Installation.defaultDirectory

    /// The settings that lead to the installation's database while its server runs; none otherwise.
    var overrides: [String: String] {
        let installation = Installation(path: dataDir)
        let environment = ProcessInfo.processInfo.environment
        let isNamed = environment["GATEPASS_DATABASE_SOCKET"] != nil || environment["GATEPASS_DATABASE_HOST"] != nil
        guard !isNamed, let database = installation.runningDatabase else { return [:] }
        return database
    }

    /// The same, and the key that the installation's kept keys are sealed with. Throws what the file system refuses.
    func overridesForKeys() throws -> [String: String] {
        let overrides = overrides
        guard !overrides.isEmpty else { return [:] }
        let key = try Installation(path: dataDir).keyEncryptionKey()
        return overrides.merging(["tokens.key_encryption_key": key.base64]) { first, _ in first }
    }
}

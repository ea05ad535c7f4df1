import ArgumentParser
import AsyncHTTPClient
import Foundation

/// `gatepass config`: shows the settings without starting anything.
struct ConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Look at the settings.", subcommands: [ConfigCheckCommand.self])
}

/// `gatepass config check`: prints the effective settings and the origin of each. The exit status is 1, with all
/// faults, if there are any.
struct ConfigCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Print the effective settings and where each came from, secrets masked.",
        discussion: "For example: gatepass config check")

    @OptionGroup var options: CommandOptions

    /// Throws the exit status 1 if a fault was printed.
    func run() async throws {
        let lookup = FileLookup.ofProcess().around(config: options.config)
        let report = Self.report(config: options.config, lookup: lookup)
        if !report.settings.isEmpty { print(report.settings) }
        fflush(nil)  // what is wrong stands below
        guard report.faults.isEmpty else {
            StandardError.print(report.faults.map(\.description).joined(separator: "\n"))
            throw ExitCode.failure
        }
        try await Startup.reporting { try await requireUsableFiles(lookup) }
    }

    /// Reads the files that the settings name, as the server does at its start. Throws the fault of the first unusable
    /// file.
    private func requireUsableFiles(_ lookup: FileLookup) async throws {
        let settings = try LoadedSettings(from: try .ofProcess(config: options.config, lookup: lookup)).settings
        let files = ServerFiles(lookup: lookup)
        _ = try files.trustRoots(settings)
        _ = try files.receiptRoots(settings)
        _ = try await Login(settings: settings.auth, files: files, client: .shared).verifier()
        try files.requireAuthority(settings)
        if let file = settings.apple.credentials?.privateKeyFile { _ = try files.text(file, "apple.private_key_file:") }
    }

    /// The settings as a table of text, and their faults.
    static func report(config: String?, lookup: FileLookup) -> (settings: String, faults: [Fault]) {
        do throws(Fault) {
            let inputs = try SettingsInputs.ofProcess(config: config, lookup: lookup)
            let (settings, faults) = LoadedSettings.effective(from: inputs)
            return (table(settings), faults)
        } catch {
            return ("", [error])
        }
    }

    /// A line `key: value  # origin` for each setting, in columns.
    static func table(_ settings: [EffectiveSetting]) -> String {
        let lines = settings.map { "\($0.key): \($0.shown)" }
        let width = lines.map(\.count).filter { $0 <= widestLine }.max() ?? 0
        return zip(lines, settings).map { line, setting in
            line + String(repeating: " ", count: max(width - line.count, 0)) + "  # \(setting.origin)"
        }.joined(separator: "\n")
    }

    /// The longest line that counts for the width of the first column.
    private static let widestLine = 72
}

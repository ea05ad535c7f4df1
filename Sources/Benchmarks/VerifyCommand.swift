import ArgumentParser
import Foundation

/// Measures verification on one core, and prints all rounds and the medians as JSON.
struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Compares whole verifications with the bare signature checks, on one core.")

    /// The output of the command.
    struct Report: Codable {
        let rounds: [VerificationBench.Round]
        /// The median over the rounds of warm ÷ raw. ``coldRatio`` is that of cold ÷ coldFloor.
        let warmRatio: Double
        let coldRatio: Double
    }

    @Option(help: "Where the signing authority is kept; made if it is not there.")
    var authority: String

    @Option(help: "How many rounds.")
    var rounds = 5

    @Option(help: "How long a round lasts, in seconds.")
    var seconds = 2.0

    @Flag(help: "Fail when a ratio misses its goal.")
    var check = false

    private static let warmGoal = 0.90
    private static let coldGoal = 0.90

    /// - Throws: An error of the file system, or the exit status 1 if a ratio misses its goal.
    func run() async throws {
        let bench = try VerificationBench(AuthorityDirectory(path: authority).authority(), at: Wall.milliseconds)
        let found = try (0..<rounds).map { _ in try bench.round(seconds: seconds) }
        let report = Report(
            rounds: found, warmRatio: found.map { $0.warm / $0.raw }.median,
            coldRatio: found.map { $0.cold / $0.coldFloor }.median)
        try Report.print(report)
        guard check, report.warmRatio < Self.warmGoal || report.coldRatio < Self.coldGoal else { return }
        throw ExitCode.failure
    }
}

extension Encodable {
    /// Writes a value to the standard output as one line of JSON.
    static func print(_ value: Self) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        FileHandle.standardOutput.write(try encoder.encode(value) + Data("\n".utf8))
    }
}

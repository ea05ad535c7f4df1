import ArgumentParser
import LedgerStore

/// `gatepass audit`: who did what.
struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Verify the audit trail.", subcommands: [AuditVerifyCommand.self])
}

/// `gatepass audit verify`: exit status 1 when the trail was changed.
struct AuditVerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Find entries that were edited, deleted, swapped or cut off.")

    @Option(
        help: "A head that was printed or logged before, number:hash; finds a trail whose head was changed with it.")
    var head: String?

    @OptionGroup var options: CommandOptions

    @OptionGroup var installation: InstallationOptions

    /// Throws for a head of the wrong form, and the exit status 1 when something does not fit or the database is away.
    func run() async throws {
        let export = try head.map { text in
            guard let export = ExportedAuditHead(text) else { throw ValidationError("\(text) is no number:hash") }
            return export
        }
        let startup = try Startup(options, overrides: installation.overrides)
        try await Startup.reporting {
            let outcome = try await startup.withPool { pool in
                try await AuditVerification.run(from: pool, against: export)
            }
            guard outcome.defects.isEmpty else {
                outcome.defects.forEach { StandardError.print("gatepass: \($0)") }
                throw ExitCode.failure
            }
            let length = outcome.head.length
            print("\(length) \(length == 1 ? "entry is" : "entries are") whole, the words of \(outcome.erased) erased")
            print("head \(outcome.head)")
        }
    }
}

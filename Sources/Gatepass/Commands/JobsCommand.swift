import ArgumentParser
import EntitlementAPI
import Entitlements
import LedgerStore

/// `gatepass jobs`: lists the jobs that were given up, and has one tried again.
struct JobsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "jobs", abstract: "List the jobs that were given up, and have one tried again.",
        subcommands: [JobsListCommand.self, JobsReviveCommand.self])
}

extension RecordedJob.State: ExpressibleByArgument {}

/// `gatepass jobs list`: prints jobs, the last added first, one a line.
struct JobsListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List jobs, the last added first.",
        discussion: "For example: gatepass jobs list --state waiting")

    @Option(help: "Those in this state: dead or waiting.")
    var state = RecordedJob.State.dead

    @OptionGroup var list: ListOptions

    @OptionGroup var installation: InstallationOptions

    /// Throws the exit status 1 if the database cannot be reached.
    func run() async throws {
        let startup = try installation.startup()
        try await Startup.reporting {
            let jobs = try await startup.withPool { pool in
                try await list.rows { try await OperatorReader(pool: pool).jobs(state, before: $0, limit: $1) }
            }
            for job in jobs { list.print(Self.fields(job), json: job.json) }
        }
    }

    private static func fields(_ job: RecordedJob) -> [String] {
        let about = [job.source?.text, job.type, job.notification].compactMap(\.self).joined(separator: " ")
        let subject = [job.kind.rawValue, job.delivery.map(String.init)].compactMap(\.self).joined(separator: " ")
        return [
            String(job.id), job.state.rawValue, subject, about, "\(job.attempts) tries",
            "since \(RFC3339.text(of: job.createdAt))",
        ] + [job.diedAt.map { "given up \(RFC3339.text(of: $0))" }].compactMap(\.self)
    }
}

/// `gatepass jobs revive`: has a running server try a dead job again, with the full number of attempts.
struct JobsReviveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revive", abstract: "Have a dead job tried again; a server that runs does so within seconds.",
        discussion: "For example: gatepass jobs revive 12 --reason ticket-4711")

    @Argument(help: "The job's number, as `gatepass jobs list` shows it.")
    var id: UInt64

    @OptionGroup var why: ReasonOptions

    @OptionGroup var output: ActOutput

    @OptionGroup var installation: InstallationOptions

    /// Throws the exit status 1 if there is no such job, or the database cannot be reached.
    func run() async throws {
        try await output.act(on: "job \(id)", of: installation) { inbox in
            try await inbox.previewedRevival(of: id).map { job, preview in
                preview.text(beside: job.json, json: output.json)
            }
        } act: { inbox in
            try await inbox.revive(job: id, by: .commandLine, reason: why.reason, audit: AuditTrail()).map { job in
                output.json
                    ? String(decoding: job.json, as: UTF8.self)
                    : "job \(job.id) is \(job.state.rawValue), after \(job.attempts) tries"
            }
        }
    }
}

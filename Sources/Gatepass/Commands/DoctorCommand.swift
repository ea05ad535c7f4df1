import ArgumentParser
import AsyncHTTPClient

/// `gatepass doctor`: looks for what keeps a server from its work. It changes nothing.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Check database, keys, catalogue, stores and what waits; changes nothing.",
        discussion: """
            The exit status is 0 if every check is ok, 2 if a check warns, and 1 if something is wrong or could not be \
            looked at.

            For example: gatepass doctor
            """)

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var installation: InstallationOptions

    /// Throws the exit status 1 or 2 if a check is not ok.
    func run() async throws {
        let startup = try installation.startup().silent
        try await Startup.reporting {
            let client = HTTPClient.outward()
            let diagnosis = try await startup.withPool { pool in
                await Doctor(startup: startup, pool: pool, client: client).diagnosis()
            }
            try await client.shutdown()
            if json {
                print(try JSONText.pretty(diagnosis.document))
            } else {
                for line in diagnosis.lines { print(VisibleText.escaped(line)) }
            }
            guard diagnosis.exitStatus == 0 else { throw ExitCode(diagnosis.exitStatus) }
        }
    }
}

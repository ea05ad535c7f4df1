import ArgumentParser
import Foundation
import LedgerStore
import Logging

/// `gatepass serve`: runs the server with the MariaDB database that the settings name.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Serve until SIGTERM; the settings say where and from which database.",
        discussion: """
            --catalog FILE and --migrations DIR name what is neither here, around --config nor beside the binary.

            For example: gatepass serve --config /etc/gatepass/gatepass.yaml
            """)

    @OptionGroup var options: CommandOptions

    @Option(help: "The port to listen on; the setting is http.port.")
    var port: Int?

    /// Throws the exit status 1, and prints the reason, if the server cannot start; 78 if its database refuses it.
    func run() async throws {
        let startup = try Startup(options, overrides: port.map { ["http.port": String($0)] } ?? [:])
        let logger = startup.logger
        startup.warnOfIdleSettings()
        try await Startup.reporting {
            try await Server(
                settings: startup.settings, catalogueFile: try startup.optionalCatalogueFile(),
                migrations: try startup.files.migrations(options.migrations), files: startup.files,
                database: startup.database, logger: logger, logForm: startup.logForm,
                supervisor: SupervisorSocket(environment: ProcessInfo.processInfo.environment),
                onReady: { port in
                    logger.info(
                        "ready",
                        metadata: [
                            "port": .stringConvertible(port),
                            "accepted_schemas": "\(Schema.accepted.lowerBound)...\(Schema.accepted.upperBound)",
                        ])
                }
            ).run()
        }
    }
}

import ArgumentParser

/// The program `gatepass` and its subcommands.
@main
struct GatepassCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gatepass",
        abstract: "Who has access, from what, until when, and why: an entitlement server for the App Store.",
        discussion: "Every command takes --config FILE, --catalog FILE and --migrations DIR.",
        version: Release.version,
        subcommands: [
            ServeCommand.self, MigrateCommand.self, CatalogueCommand.self, ConfigCommand.self, DoctorCommand.self,
            TokensCommand.self, KeysCommand.self, StaffCommand.self, UserCommand.self, GrantCommand.self,
            CompensateCommand.self, AuditCommand.self, SearchCommand.self, OrderCommand.self, WebhooksCommand.self,
            JobsCommand.self, ProjectionCommand.self,
            ReconcileCommand.self, InspectCommand.self, HealthCommand.self, SecretsCommand.self,
        ] + development)

    /// The commands for a development installation.
    static let development: [any ParsableCommand.Type] = [
        DevCommand.self, TokenCommand.self, SimulateCommand.self, ClockCommand.self,
    ]
}

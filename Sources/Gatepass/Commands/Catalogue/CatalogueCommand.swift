import ArgumentParser

/// `gatepass catalog`: checks and applies the catalogue.
struct CatalogueCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "catalog", abstract: "Check and apply the catalogue.",
        subcommands: [CatalogueCheckCommand.self, CatalogueApplyCommand.self])
}

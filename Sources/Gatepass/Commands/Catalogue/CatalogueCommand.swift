import ArgumentParser

/// `gatepass catalog`: what is sold.
struct CatalogueCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "catalog", abstract: "Check and apply the catalogue.",
        subcommands: [CatalogueCheckCommand.self, CatalogueApplyCommand.self])
}

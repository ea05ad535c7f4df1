import ArgumentParser

/// `gatepass catalog`: what is sold.
struct CatalogCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "catalog", abstract: "Check and apply the catalogue.",
        subcommands: [CatalogCheckCommand.self, CatalogApplyCommand.self])
}

import ArgumentParser

/// `gatepass catalog`: checks, plans and applies the catalogue.
struct CatalogueCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "catalog", abstract: "Check a catalogue, see what it would change, and apply it.",
        subcommands: [CatalogueCheckCommand.self, CataloguePlanCommand.self, CatalogueApplyCommand.self])
}

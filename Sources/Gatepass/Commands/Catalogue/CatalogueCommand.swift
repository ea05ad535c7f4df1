import ArgumentParser

/// `gatepass catalog`: checks, plans and applies the catalogue, and makes one from an Xcode file.
struct CatalogueCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "catalog",
        abstract: "Check a catalogue, see what it would change, apply it, or make one from an Xcode file.",
        subcommands: [
            CatalogueCheckCommand.self, CataloguePlanCommand.self, CatalogueApplyCommand.self,
            CatalogueImportCommand.self,
        ])
}

/// The source of a command's catalogue: a file, or the product map in the environment.
enum CatalogueLocation {
    /// Loads the catalogue from the file `explicit`, else from the product map in the environment, else from the
    /// default file.
    ///
    /// Throws all faults of the catalogue, or a fault if there is no such file.
    static func load(
        explicit: String?, environment: [String: String], lookup: FileLookup
    ) throws(CatalogueFileError) -> CatalogueFile {
        if explicit == nil, ProductMap.isConfigured(in: environment) {
            return try ProductMap.catalogueFile(
                map: environment[ProductMap.mapVariable] ?? "", bundleID: environment[ProductMap.bundleVariable])
        }
        let name = explicit ?? FileLookup.defaultCatalogue
        guard let found = lookup.find(explicit, default: FileLookup.defaultCatalogue) else {
            throw unreadable(name)
        }
        let text: String
        do {
            text = try lookup.read(found.path)
        } catch {
            guard !lookup.exists(found.path) else { throw notText(found.name) }
            guard explicit == nil else { throw missing(found) }
            throw unreadable(name)
        }
        return try CatalogueFile(text: text, fileName: found.name)
    }

    private static func notText(_ name: String) -> CatalogueFileError {
        CatalogueFileError(faults: [
            Fault(
                place: .named(name), problem: "the catalogue cannot be read as UTF-8 text",
                remedy: "save it as UTF-8, and let the server's user read it")
        ])
    }

    private static func missing(_ file: FileLookup.Found) -> CatalogueFileError {
        CatalogueFileError(faults: [
            Fault(
                place: .named(file.name), problem: "there is no such file",
                remedy: "write the path of the catalogue; \(file.path) was looked for")
        ])
    }

    private static func unreadable(_ name: String) -> CatalogueFileError {
        CatalogueFileError(faults: [
            Fault(
                place: .named(name), problem: "there is no catalogue that can be read",
                remedy: "name one with --catalog, or set \(ProductMap.mapVariable) and \(ProductMap.bundleVariable)")
        ])
    }
}

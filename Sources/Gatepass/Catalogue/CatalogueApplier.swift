import Entitlements
import LedgerStore
import MariaDB

/// Puts a catalogue file in force, if it may follow the newest version.
struct CatalogueApplier {
    let pool: Pool
    let clock: WallClock

    /// Makes the file a new version, unless the newest version is the same catalogue. Servers make the tables that are
    /// derived from ledgers anew. `audit` writes the entry of the audit trail; it is nil if a server applies the file
    /// by its settings.
    ///
    /// Throws `CatalogueFileError` with all faults if the file reorders ranks or moves tiers to other lanes. Throws
    /// `ServiceFailure` if the database cannot be reached.
    func apply(
        _ file: CatalogueFile, audit: TrailWriter? = nil
    ) async throws -> (version: Int, isNew: Bool) {
        if let newest = try await newest() { try file.check(following: newest) }
        let catalogue = file.catalogue
        return try await CatalogueVersionCache.apply(file.text, to: pool, at: clock.now(), audit: audit) {
            // `try?` drops the fault of a stored version that cannot be read. That version counts as a different
            // catalogue.
            (try? CatalogueFile.stored($0)) == catalogue
        }
    }

    /// True if the file's catalogue differs from the newest version.
    func differs(_ file: CatalogueFile) async throws -> Bool {
        try await newest() != file.catalogue
    }

    private func newest() async throws -> Catalogue? {
        try await CatalogueVersionCache.open(pool: pool, read: CatalogueFile.stored)?.snapshot.latest.catalogue
    }
}

extension CatalogueFile {
    /// Parses the text of a stored version. Throws all faults of the text.
    static func stored(_ text: String) throws -> Catalogue {
        try parse(text: text, fileName: "catalog_versions")
    }
}

import Entitlements
import LedgerStore
import MariaDB

/// Puts a catalogue file in force, if it may follow the version that is.
struct CatalogueApplier {
    let pool: Pool
    let settings: Settings
    let clock: WallClock

    /// Makes the file a new version unless it says the same as the newest, and rebuilds the projection; `audit`
    /// enters it into the trail if an actor does it, and is nil if the settings make a server do it.
    ///
    /// Throws `CatalogueFileError` with every fault when it reorders ranks or moves tiers between lanes, and
    /// `ServiceFailure` when the database is away.
    func apply(
        _ file: CatalogueFile, audit: TrailWriter? = nil
    ) async throws -> (version: Int, isNew: Bool) {
        if let newest = try await newest() { try file.check(following: newest) }
        let catalogue = file.catalogue
        let applied = try await CatalogueVersionCache.apply(file.text, to: pool, at: clock.now(), audit: audit) {
            // Lost: the fault of a stored version that cannot be read; it counts as another catalogue.
            (try? CatalogueFile.stored($0)) == catalogue
        }
        let versionCache = try await CatalogueVersionCache.open(pool: pool, read: CatalogueFile.stored)
        if applied.isNew, applied.version > 1, let versionCache {
            try await Projection(pool: pool, settings: settings.entitlements).rebuild(given: versionCache.snapshot)
        }
        return applied
    }

    /// True if the file says something else than the newest version.
    func differs(_ file: CatalogueFile) async throws -> Bool {
        try await newest() != file.catalogue
    }

    private func newest() async throws -> Catalogue? {
        try await CatalogueVersionCache.open(pool: pool, read: CatalogueFile.stored)?.snapshot.latest.catalogue
    }
}

extension CatalogueFile {
    /// The catalogue in a version's text, as the database holds it. Throws every fault of the text.
    static func stored(_ text: String) throws -> Catalogue {
        try parse(text: text, fileName: "catalog_versions")
    }
}

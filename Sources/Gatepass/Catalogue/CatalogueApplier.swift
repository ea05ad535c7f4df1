import Entitlements
import LedgerStore
import MariaDB

/// Puts a catalogue file in force, if it may follow the newest version, or says what that would change.
struct CatalogueApplier {
    let pool: Pool
    let clock: WallClock
    /// The environment of the servers, in which the demo's catalogue may be refused.
    let environment: Settings.Environment

    /// Makes the file a new version, unless the newest version is the same catalogue. Servers make the tables that are
    /// derived from ledgers anew. `audit` writes the entry of the audit trail; it is nil if a server applies the file
    /// by its settings.
    ///
    /// Throws `CatalogueFileError` with all faults if the file reorders ranks or moves tiers to other lanes, or in
    /// production is the demo's where that is not in force already. Throws `ServiceFailure` if the database cannot be
    /// reached.
    func apply(
        _ file: CatalogueFile, audit: TrailWriter? = nil
    ) async throws -> (version: Int, isNew: Bool) {
        let newest = try await newest()
        guard environment != .production || !file.isDemo || newest?.apps.contains(CatalogueFile.demoApp) == true else {
            throw CatalogueFileError(faults: [file.demoFault])
        }
        if let newest { try file.check(following: newest) }
        let catalogue = file.catalogue
        return try await CatalogueVersionCache.apply(file.text, to: pool, at: clock.now(), audit: audit) {
            // `try?` drops the fault of a stored version that cannot be read. That version counts as a different
            // catalogue.
            (try? CatalogueFile.stored($0)) == catalogue
        }
    }

    /// The changes that the file would make if it were applied now. Nothing is written, and nothing is locked. Throws
    /// like ``apply(_:audit:)``.
    ///
    /// - Parameter onProgress: Called with the number of users so far and their percentage.
    func plan(
        _ file: CatalogueFile, under settings: EntitlementSettings, onProgress: (_ users: Int, _ percent: Int) -> Void
    ) async throws -> CataloguePlan {
        guard let present = try await versions() else { return CataloguePlan(version: 1, isNew: true) }
        let latest = present.latest
        try file.check(following: latest.catalogue)
        guard latest.catalogue != file.catalogue else { return CataloguePlan(version: latest.number, isNew: false) }
        let now = max(clock.now(), latest.effectiveAt + 1)
        let next = CatalogueVersions.Version(number: latest.number + 1, effectiveAt: now, catalogue: file.catalogue)
        let planned = CatalogueVersions(first: present.versions[0], later: present.versions.dropFirst() + [next])
        var plan = CataloguePlan(version: next.number, isNew: true)
        try await OperatorReader(pool: pool).ledgers { ledgers, unreadable, percent in
            let timelines = ledgers.map { ledger in
                let folds = [present, planned].map {
                    Timeline(folding: ledger, given: $0, settings: settings, testersAt: now)
                }
                return (before: folds[0], after: folds[1])
            }
            plan.add(timelines, unreadable: unreadable, at: now)
            onProgress(plan.users, percent)
        }
        return plan
    }

    /// True if the file's catalogue differs from the newest version.
    func differs(_ file: CatalogueFile) async throws -> Bool {
        try await newest() != file.catalogue
    }

    private func newest() async throws -> Catalogue? {
        try await versions()?.latest.catalogue
    }

    private func versions() async throws -> CatalogueVersions? {
        try await CatalogueVersionCache.open(pool: pool, read: CatalogueFile.stored)?.snapshot
    }
}

extension CatalogueFile {
    /// Parses the text of a stored version. Throws all faults of the text.
    static func stored(_ text: String) throws -> Catalogue {
        try parse(text: text, fileName: "catalog_versions")
    }
}

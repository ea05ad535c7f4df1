package import Entitlements
package import MariaDB
import Synchronization

/// A cache of the catalogue's versions in the database.
///
/// The database decides which versions exist. Another instance, or `gatepass catalog apply`, may put a newer version in
/// force. So readers and writers compare the number of the newest version with the cached number, and refresh if they
/// differ.
package final class CatalogueVersionCache: Sendable {
    /// Reads the text of a version; throws the defect of a text that is no valid catalogue.
    package typealias Reader = @Sendable (String) throws -> Catalogue

    private let pool: Pool
    private let read: Reader
    private let held: Mutex<Held>

    /// The cached versions.
    struct Held: Sendable {
        let versions: CatalogueVersions
        /// The number of the newest version in the database when the versions were last read. This number is not in
        /// `versions` if only a newer program can read that version.
        let newest: Int
    }

    private init(pool: Pool, read: @escaping Reader, versions: CatalogueVersions) {
        self.pool = pool
        self.read = read
        held = Mutex(Held(versions: versions, newest: versions.latest.number))
    }

    /// The cached versions.
    package var snapshot: CatalogueVersions { cached.versions }

    var cached: Held {
        held.withLock { $0 }
    }

    /// Loads all versions; nil while the database has none.
    package static func open(pool: Pool, read: @escaping Reader) async throws -> CatalogueVersionCache? {
        guard let versions = try await load(pool, read) else { return nil }
        return CatalogueVersionCache(pool: pool, read: read, versions: versions)
    }

    /// Puts `content` in force from `now` on as the next version, unless `isSame` is true for the text of the newest
    /// version. If `audit` is given, a new version is entered into the audit trail.
    ///
    /// A repeat, or a race with an instance that applies the same catalogue, makes only one version. Returns the number
    /// of the version that has `content`, and whether this call made it. Throws when the database is away.
    package static func apply(
        _ content: String, to pool: Pool, at now: Instant, audit: TrailWriter? = nil,
        isSame: @escaping @Sendable (String) -> Bool
    ) async throws(ServiceFailure) -> (version: Int, isNew: Bool) {
        while true {
            do {
                return try await pool.commit { (session) throws(DatabaseError) in
                    let newest = try CatalogueVersionRow.load(in: session).last
                    if let newest, isSame(newest.content) { return (newest.number, false) }
                    let version = CatalogueVersionRow.Stored(
                        number: (newest?.number ?? 0) + 1,
                        effectiveAt: newest.map { max(now, $0.effectiveAt + 1) } ?? now, content: content)
                    try CatalogueVersionRow.insert(version, in: session)
                    try audit?.enter(.applyCatalogue, ["version": String(version.number)], at: now, in: session)
                    return (version.number, true)
                }
            } catch  where error.isDuplicateKey {
                continue
            }
        }
    }

    /// Loads the versions again. If this program cannot read one of them, the cached versions stay in use. Every
    /// version is checked before it is applied, so only a newer program can have written an unreadable one. Throws when
    /// the database is away.
    package func refresh() async throws(ServiceFailure) {
        let stored = try await pool.ask { (session) throws(DatabaseError) in try CatalogueVersionRow.load(in: session)
        }
        guard let newest = stored.last?.number else { return }
        let fresh = try? Self.versions(stored, read)
        held.withLock { held in
            guard newest != held.newest else { return }
            held = Held(versions: fresh ?? held.versions, newest: newest)
        }
    }

    /// Loads the versions again if the newest number in the database is not the cached one. A database that was
    /// restored to an earlier time may have a lower number. Throws when the database is away.
    package func refreshIfNewer() async throws(ServiceFailure) {
        let newest = try await pool.ask { (session) throws(DatabaseError) in
            try CatalogueVersionRow.latest(in: session)
        }
        if newest != cached.newest { try await refresh() }
    }

    private static func load(_ pool: Pool, _ read: Reader) async throws -> CatalogueVersions? {
        try versions(
            try await pool.ask { (session) throws(DatabaseError) in try CatalogueVersionRow.load(in: session) }, read)
    }

    private static func versions(_ stored: [CatalogueVersionRow.Stored], _ read: Reader) throws -> CatalogueVersions? {
        let versions = try stored.map {
            CatalogueVersions.Version(number: $0.number, effectiveAt: $0.effectiveAt, catalogue: try read($0.content))
        }
        guard let first = versions.first else { return nil }
        return CatalogueVersions(first: first, later: Array(versions.dropFirst()))
    }
}

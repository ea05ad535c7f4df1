package import Entitlements
package import MariaDB
import Synchronization

/// The catalogue's versions as the database holds them, cached.
///
/// The database is the authority: readers and writers compare the newest version's number with the cached one and
/// refresh when another instance, or `gatepass catalog apply`, has put a newer one in force.
package final class CatalogueVersionCache: Sendable {
    /// Reads the text of a version; throws what is wrong with it.
    package typealias Reader = @Sendable (String) throws -> Catalogue

    private let pool: Pool
    private let read: Reader
    private let held: Mutex<Held>

    /// The cached versions.
    struct Held: Sendable {
        let versions: CatalogueVersions
        /// The newest version's number in the database when it was last read; more than `versions` know when only a
        /// newer program can read that version.
        let newest: Int
    }

    private init(pool: Pool, read: @escaping Reader, versions: CatalogueVersions) {
        self.pool = pool
        self.read = read
        held = Mutex(Held(versions: versions, newest: versions.latest.number))
    }

    /// The versions as last seen.
    package var snapshot: CatalogueVersions { cached.versions }

    var cached: Held {
        held.withLock { $0 }
    }

    /// Loads the catalogue; nil while the database holds none.
    ///
    /// Throws when the database is away, or when a version cannot be read.
    package static func open(pool: Pool, read: @escaping Reader) async throws -> CatalogueVersionCache? {
        guard let versions = try await load(pool, read) else { return nil }
        return CatalogueVersionCache(pool: pool, read: read, versions: versions)
    }

    /// Puts `content` in force as the next version, from `now` on, if it differs from the newest one; `audit` enters it
    /// into the trail if an actor does it.
    ///
    /// A repeat, or a race with another instance that applies the same catalogue, makes a single version. Throws when
    /// the database is away. Returns the number of the version that holds `content`, and whether this call made it.
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

    /// Loads what is new. Throws when the database is away; a version that cannot be read leaves the earlier ones in
    /// use, for it was checked before it was applied and only a newer program can have written it.
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

    /// Loads the versions of the database, unless they are cached. A database that was restored to an earlier time has
    /// fewer versions. Throws when the database is away.
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

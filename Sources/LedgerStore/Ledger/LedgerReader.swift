package import Entitlements
package import MariaDB

/// Reads ledgers, everybody's who is waiting in one statement.
package final class LedgerReader: Sendable {
    /// How many users' ledgers one statement reads at most.
    private static let maximumBatch = 64
    /// How many readers wait at most; one more is told that the database is overloaded.
    private static let maximumWaiting = 8_192

    /// Somebody who waits.
    private struct Reading: Sendable {
        let user: UserID
        let resume: @Sendable (Result<UserLedger, DatabaseError>) -> Void
    }

    private let pool: Pool
    private let catalogue: CatalogueShelf
    private let cache: LedgerCache
    private let lane = Lane<Reading>(maximumBatch: maximumBatch, maximumWaiting: maximumWaiting)

    init(pool: Pool, catalogue: CatalogueShelf, cache: LedgerCache) {
        self.pool = pool
        self.catalogue = catalogue
        self.cache = cache
    }

    /// Reads until `shutDown`; returns when everybody in line is answered.
    package func run() async {
        await lane.run(runners: 1) { await self.read($0) }
    }

    /// Takes no more readers.
    package func shutDown() {
        lane.close()
    }

    /// Everything recorded of `user` by now; empty for one never seen. After it the catalogue at hand is the newest.
    /// Throws when the database is away.
    package func ledger(of user: UserID) async throws(DatabaseError) -> UserLedger {
        try await withCheckedContinuation { continuation in
            let reading = Reading(user: user) { continuation.resume(returning: $0) }
            if !lane.submit(reading) {
                continuation.resume(
                    returning: .failure(DatabaseError(.overloaded, statement: UserRow.headsByUser.name)))
            }
        }.get()
    }

    private func read(_ readings: [Reading]) async {
        do {
            let (ledgers, version) = try await load(Array(Set(readings.map(\.user))))
            if version != catalogue.atHand.newest { try await catalogue.refresh() }
            for reading in readings {
                reading.resume(.success(ledgers[reading.user] ?? UserLedger(user: reading.user)))
            }
        } catch {
            // One ledger that cannot be read is nobody else's fault.
            guard readings.count > 1, !error.isDatabaseAway else {
                return readings.forEach { $0.resume(.failure(error)) }
            }
            for reading in readings { await read([reading]) }
        }
    }

    /// The ledgers of those of `users` who have one, and the number of the newest catalogue.
    private func load(_ users: [UserID]) async throws(DatabaseError) -> (ledgers: [UserID: UserLedger], version: Int) {
        try await pool.with { (session) throws(DatabaseError) in
            let (heads, version) = try UserRow.heads(of: users, in: session)
            let ledgers = try cache.ledgers(under: heads, in: session)
            return (ledgers.mapValues(\.ledger), version)
        }
    }
}

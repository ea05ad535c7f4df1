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

    /// A request that asks which of its texts were verified before.
    private struct Recollection: Sendable {
        let digests: Set<[UInt8]>
        let resume: @Sendable (Result<[[UInt8]: Replay], DatabaseError>) -> Void
    }

    private let pool: Pool
    private let catalogue: CatalogueShelf
    private let cache: LedgerCache
    private let lane = Lane<Reading>(maximumBatch: maximumBatch, maximumWaiting: maximumWaiting)
    private let replayLane = Lane<Recollection>(maximumBatch: maximumBatch, maximumWaiting: maximumWaiting)
    /// Those whose ledgers take long to read; nobody else waits behind them.
    private let heavyLane = Lane<Reading>(maximumBatch: maximumBatch, maximumWaiting: maximumWaiting)

    /// A reader that keeps ledgers for itself.
    package convenience init(pool: Pool, catalogue: CatalogueShelf) {
        self.init(pool: pool, catalogue: catalogue, cache: LedgerCache())
    }

    init(pool: Pool, catalogue: CatalogueShelf, cache: LedgerCache) {
        self.pool = pool
        self.catalogue = catalogue
        self.cache = cache
    }

    /// Reads until `shutDown`; returns when everybody in line is answered.
    package func run() async {
        async let heavy: Void = heavyLane.run(runners: 1) { await self.readHeavy($0) }
        async let replays: Void = replayLane.run(runners: 1) { await self.recollect($0) }
        await lane.run(runners: 1) { await self.read($0) }
        heavyLane.close()
        await heavy
        await replays
    }

    /// Takes no more readers.
    package func shutDown() {
        lane.close()
        replayLane.close()
    }

    /// Everything recorded of `user` by now; empty for one never seen. After it the catalogue at hand is the newest.
    /// Throws when the database is away.
    package func ledger(of user: UserID) async throws(DatabaseError) -> UserLedger {
        try await withCheckedContinuation { continuation in
            submit(Reading(user: user) { continuation.resume(returning: $0) }, to: lane)
        }.get()
    }

    /// Those of the texts with these SHA-256 digests that were verified before. Throws when the database is away.
    package func replays(of digests: Set<[UInt8]>) async throws(DatabaseError) -> [[UInt8]: Replay] {
        try await withCheckedContinuation { continuation in
            let asked = Recollection(digests: digests) { continuation.resume(returning: $0) }
            if !replayLane.submit(asked) {
                asked.resume(.failure(DatabaseError(.overloaded, statement: "find replays")))
            }
        }.get()
    }

    /// The words of these digests that are there. Throws when the database is away.
    package func notes(_ digests: Set<NoteDigest>) async throws(DatabaseError) -> [NoteDigest: Note] {
        try await pool.with { (session) throws(DatabaseError) in try NoteRow.load(digests, in: session) }
    }

    private func recollect(_ asked: [Recollection]) async {
        let digests = asked.reduce(into: Set()) { $0.formUnion($1.digests) }
        let found: Result<[[UInt8]: Replay], DatabaseError>
        do {
            found = .success(
                try await pool.with { (session) throws(DatabaseError) in try Replay.find(digests, in: session) })
        } catch {
            found = .failure(error)
        }
        for request in asked { request.resume(found.map { $0.filter { request.digests.contains($0.key) } }) }
    }

    private func submit(_ reading: Reading, to lane: Lane<Reading>) {
        if !lane.submit(reading) {
            reading.resume(.failure(DatabaseError(.overloaded, statement: UserRow.headsByUser.name)))
        }
    }

    private func read(_ readings: [Reading]) async {
        do {
            let found = try await load(Array(Set(readings.map(\.user))), withHeavy: false)
            if found.catalogueVersion != catalogue.atHand.newest { try await catalogue.refresh() }
            for reading in readings {
                if found.heavy.contains(reading.user) {
                    submit(reading, to: heavyLane)
                } else {
                    reading.resume(.success(found.ledgers[reading.user] ?? UserLedger(user: reading.user)))
                }
            }
        } catch {
            // One ledger that cannot be read is nobody else's fault.
            guard readings.count > 1, !error.isDatabaseAway else {
                return readings.forEach { $0.resume(.failure(error)) }
            }
            for reading in readings { await read([reading]) }
        }
    }

    /// Reads one ledger after the other, each once for all who wait for it.
    private func readHeavy(_ readings: [Reading]) async {
        for (user, readings) in Dictionary(grouping: readings, by: \.user) {
            let answer: Result<UserLedger, DatabaseError>
            do {
                answer = .success(try await load([user], withHeavy: true).ledgers[user] ?? UserLedger(user: user))
            } catch {
                answer = .failure(error)
            }
            for reading in readings { reading.resume(answer) }
        }
    }

    /// What was found of some users.
    private struct Found {
        let ledgers: [UserID: UserLedger]
        /// Those whose ledgers would take long to read.
        let heavy: Set<UserID>
        let catalogueVersion: Int
    }

    private func load(_ users: [UserID], withHeavy: Bool) async throws(DatabaseError) -> Found {
        try await pool.with { (session) throws(DatabaseError) in
            let (heads, version) = try UserRow.heads(of: users, in: session)
            let heavy = withHeavy ? [] : cache.heavy(of: heads)
            let ledgers = try cache.ledgers(under: heads.filter { !heavy.contains($0.key) }, in: session)
            return Found(ledgers: ledgers.mapValues(\.ledger), heavy: heavy, catalogueVersion: version)
        }
    }
}

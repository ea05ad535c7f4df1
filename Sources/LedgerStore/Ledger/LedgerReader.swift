package import Entitlements
package import MariaDB

/// Reads ledgers. One statement reads for all readers that wait.
package final class LedgerReader: Sendable {
    /// The most users whose ledgers one statement reads.
    private static let maximumBatch = 64
    /// The most readers that may wait; a further reader fails as `.overloaded`.
    private static let maximumWaiting = 8_192

    /// A reader that waits for one user's ledger.
    private struct Reading: Sendable {
        let user: UserID
        let resume: @Sendable (Result<ReadLedger, ServiceFailure>) -> Void
    }

    /// A ledger and its head; the head is nil for a ledger without entries.
    package typealias ReadLedger = (ledger: UserLedger, head: LedgerHead?)

    /// A caller that asks which texts were verified before, and waits for the answer.
    private struct ReplayLookup: Sendable {
        let digests: Set<[UInt8]>
        let resume: @Sendable (Result<[[UInt8]: Replay], ServiceFailure>) -> Void
    }

    private let pool: Pool
    private let catalogue: CatalogueVersionCache
    private let cache: LedgerCache
    private let queue = BatchQueue<Reading>(maximumBatch: maximumBatch, maximumWaiting: maximumWaiting)
    private let replayQueue = BatchQueue<ReplayLookup>(maximumBatch: maximumBatch, maximumWaiting: maximumWaiting)
    /// The readers of ledgers that take long to read. They wait apart, so that other readers do not wait behind them.
    private let heavyQueue = BatchQueue<Reading>(maximumBatch: maximumBatch, maximumWaiting: maximumWaiting)

    /// A reader with a cache of its own.
    package convenience init(pool: Pool, catalogue: CatalogueVersionCache) {
        self.init(pool: pool, catalogue: catalogue, cache: LedgerCache())
    }

    init(pool: Pool, catalogue: CatalogueVersionCache, cache: LedgerCache) {
        self.pool = pool
        self.catalogue = catalogue
        self.cache = cache
    }

    /// Answers readers until `shutDown`; returns when all waiting readers are answered.
    package func run() async {
        async let heavy: Void = heavyQueue.run(runners: 1) { await self.readHeavy($0) }
        async let replays: Void = replayQueue.run(runners: 1) { await self.findReplays($0) }
        await queue.run(runners: 1) { await self.read($0) }
        heavyQueue.close()
        await heavy
        await replays
    }

    /// Takes no more readers.
    package func shutDown() {
        queue.close()
        replayQueue.close()
    }

    /// The ledger of `user` as it is now; empty for a user who was never seen. When this returns, the cached catalogue
    /// is the newest one. Throws when the database is away.
    package func ledger(of user: UserID) async throws(ServiceFailure) -> UserLedger {
        try await read(user).ledger
    }

    /// The ledger of `user` with its head. Throws like ``ledger(of:)``.
    package func read(_ user: UserID) async throws(ServiceFailure) -> ReadLedger {
        try await withCheckedContinuation { continuation in
            submit(Reading(user: user) { continuation.resume(returning: $0) }, to: queue)
        }.get()
    }

    /// The texts with these SHA-256 digests that were verified before, by digest. Throws when the database is away.
    package func replays(of digests: Set<[UInt8]>) async throws(ServiceFailure) -> [[UInt8]: Replay] {
        try await withCheckedContinuation { continuation in
            let asked = ReplayLookup(digests: digests) { continuation.resume(returning: $0) }
            if !replayQueue.submit(asked) {
                asked.resume(.failure(ServiceFailure(DatabaseError(.overloaded, statement: "find replays"))))
            }
        }.get()
    }

    /// The notes with these digests that still exist. Throws when the database is away.
    package func notes(_ digests: Set<NoteDigest>) async throws(ServiceFailure) -> [NoteDigest: Note] {
        try await pool.ask { (session) throws(DatabaseError) in try NoteRow.load(digests, in: session) }
    }

    private func findReplays(_ asked: [ReplayLookup]) async {
        let digests = asked.reduce(into: Set()) { $0.formUnion($1.digests) }
        let found: Result<[[UInt8]: Replay], ServiceFailure>
        do {
            found = .success(
                try await pool.ask { (session) throws(DatabaseError) in try Replay.find(digests, in: session) })
        } catch {
            found = .failure(error)
        }
        for request in asked { request.resume(found.map { $0.filter { request.digests.contains($0.key) } }) }
    }

    private func submit(_ reading: Reading, to queue: BatchQueue<Reading>) {
        if !queue.submit(reading) {
            reading.resume(.failure(ServiceFailure(DatabaseError(.overloaded, statement: UserRow.headsByUser.name))))
        }
    }

    private func read(_ readings: [Reading]) async {
        do {
            let found = try await load(readings, withHeavy: false)
            if found.catalogueVersion != catalogue.cached.newest { try await catalogue.refresh() }
            for reading in readings {
                if found.heavy.contains(reading.user) {
                    submit(reading, to: heavyQueue)
                } else {
                    reading.resume(.success(found.ledger(of: reading.user)))
                }
            }
        } catch {
            // If a ledger cannot be read, each reader is answered alone, so that the others do not fail.
            guard readings.count > 1, !error.isDatabaseAway else {
                return readings.forEach { $0.resume(.failure(error)) }
            }
            for reading in readings { await read([reading]) }
        }
    }

    /// Reads one ledger after the other, and answers all readers who wait for it.
    private func readHeavy(_ readings: [Reading]) async {
        for (user, readings) in Dictionary(grouping: readings, by: \.user) {
            let answer: Result<ReadLedger, ServiceFailure>
            do {
                answer = .success(try await load(readings, withHeavy: true).ledger(of: user))
            } catch {
                answer = .failure(error)
            }
            for reading in readings { reading.resume(answer) }
        }
    }

    /// The heads and ledgers that were found.
    private struct Found {
        /// The ledgers by their users; those of the users in `heavy` are left out.
        let ledgers: [UserID: LedgerCache.CachedLedger]
        /// The users whose ledgers would take long to read.
        let heavy: Set<UserID>
        let catalogueVersion: Int

        func ledger(of user: UserID) -> ReadLedger {
            guard let cached = ledgers[user] else { return (UserLedger(user: user), nil) }
            return (cached.ledger, LedgerHead(pseudonym: cached.pseudonym, length: cached.length))
        }
    }

    private func load(_ readings: [Reading], withHeavy: Bool) async throws(ServiceFailure) -> Found {
        try await pool.ask { (session) throws(DatabaseError) in
            let (heads, version) = try UserRow.heads(of: Array(Set(readings.map(\.user))), in: session)
            let heavy = withHeavy ? [] : cache.heavy(of: heads)
            let ledgers = try cache.ledgers(under: heads.filter { !heavy.contains($0.key) }, in: session)
            return Found(ledgers: ledgers, heavy: heavy, catalogueVersion: version)
        }
    }
}

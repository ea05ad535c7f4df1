import EntitlementAPI
import Entitlements
import LedgerStore
import MariaDB

/// A user's ledger as commands read it.
struct RecordedUser: Sendable {
    let ledger: UserLedger
    /// The notes of the ledger's entries, by digest.
    let notes: [NoteDigest: Note]
    let catalogue: CatalogueVersions
}

/// Reads and writes of commands through the ledger, as a server does them.
extension Startup {
    /// The ledger of a user with its notes, and the catalogue in force. Throws when the database is away or holds no
    /// catalogue.
    func ledger(of user: UserID) async throws -> RecordedUser {
        try await withPool { pool in
            let versionCache = try await openCatalogue(pool)
            let reader = LedgerReader(pool: pool, catalogue: versionCache)
            async let running: Void = reader.run()
            let read: Result<RecordedUser, any Error>
            do {
                let ledger = try await reader.ledger(of: user)
                let notes = try await reader.notes(Set(ledger.entries.compactMap(\.note)))
                read = .success(RecordedUser(ledger: ledger, notes: notes, catalogue: versionCache.snapshot))
            } catch {
                read = .failure(error)
            }
            reader.shutDown()
            await running
            return try read.get()
        }
    }

    /// Records what `deciding` decides about a user, and enters it into the audit trail if it changes anything. Throws
    /// when the database is away or holds no catalogue.
    func recorded<Reply, Refusal>(
        for user: UserID, keys: Set<PurchaseKey>, audit: AuditedAct,
        deciding: @escaping @Sendable (PurchaseHistory, CatalogueVersions) -> Decision<Reply, Refusal>
    ) async throws -> Result<Reply, Refusal> {
        try await withPool { pool in
            let ledger = try await openLedger(pool)
            async let running: Void = ledger.run()
            let recorded: Result<Recorded<Reply, Refusal>, any Error>
            do {
                recorded = .success(try await ledger.record(for: [user], keys: keys, audit: audit, deciding: deciding))
            } catch {
                recorded = .failure(error)
            }
            ledger.shutDown()
            await running
            return try recorded.get().answer
        }
    }

    /// Runs `body` with what a server does its work with, once the database is open. Throws what `body` throws, and
    /// when the database is away or holds no catalogue.
    func withService<Answer: Sendable>(
        _ body: @Sendable (LedgerService, LedgerService.Opened) async throws -> Answer
    ) async throws -> Answer {
        try await withPool { pool in
            let versionCache = try await openCatalogue(pool)
            let ledgerSettings = try await LedgerSettings(settings, from: pool, clock: clock)
            let opened = LedgerService.Opened(
                pool, versionCache, SigningKeys(settings.tokens, pool: pool, clock: clock), settings: ledgerSettings,
                clock: clock, noteBatch: { _ in })
            let service = LedgerService(
                pool: pool, roots: try files.trustRoots(settings), provisional: versionCache.snapshot,
                entitlements: settings.entitlements, rules: settings.claimRules, clock: clock, logger: logger)
            service.open(opened)
            async let writing: Void = opened.ledger.run()
            async let reading: Void = opened.reader.run()
            let answer: Result<Answer, any Error>
            do {
                answer = .success(try await body(service, opened))
            } catch {
                answer = .failure(error)
            }
            opened.ledger.shutDown()
            opened.reader.shutDown()
            _ = await (writing, reading)
            return try answer.get()
        }
    }

    /// Throws when the database is away or holds no catalogue.
    func openCatalogue(_ pool: Pool) async throws -> CatalogueVersionCache {
        guard let versionCache = try await CatalogueVersionCache.open(pool: pool, read: CatalogueFile.stored) else {
            throw DatabaseOpening.Refusal.noCatalogue
        }
        return versionCache
    }

    private func openLedger(_ pool: Pool) async throws -> Ledger {
        let versionCache = try await openCatalogue(pool)
        return Ledger(
            pool: pool, catalogue: versionCache, settings: try await LedgerSettings(settings, from: pool, clock: clock),
            now: clock.now, salt: Surroundings.noteSalt)
    }
}

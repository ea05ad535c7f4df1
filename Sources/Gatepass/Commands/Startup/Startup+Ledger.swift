import EntitlementAPI
import Entitlements
import LedgerStore
import MariaDB

/// A user's ledger as a command reads it.
struct RecordedUser: Sendable {
    let ledger: UserLedger
    /// The notes of the ledger's entries, by their digests.
    let notes: [NoteDigest: Note]
    let catalogue: CatalogueVersions
    /// The App Store's questions about refunds of the user's purchases, the last recorded first.
    let refundQuestions: [ConsumptionRequest]
}

/// Access of commands to ledgers, through the same types that the server uses.
extension Startup {
    /// Reads a user's ledger with its notes, and the catalogue's versions. Throws `UserMissing` for a user of whom
    /// nothing was recorded, and an error if the database cannot be reached or has no catalogue.
    func ledger(of user: UserID) async throws -> RecordedUser {
        try await withPool { pool in
            let versionCache = try await openCatalogue(pool)
            let reader = LedgerReader(pool: pool, catalogue: versionCache)
            async let running: Void = reader.run()
            let read: Result<RecordedUser, any Error>
            do {
                let ledger = try await reader.ledger(of: user)
                guard !ledger.entries.isEmpty else { throw UserMissing(user: user) }
                let notes = try await reader.notes(Set(ledger.entries.compactMap(\.note)))
                let asked = try await OperatorReader(pool: pool).consumptionRequests(about: user)
                read = .success(
                    RecordedUser(
                        ledger: ledger, notes: notes, catalogue: versionCache.snapshot, refundQuestions: asked))
            } catch {
                read = .failure(error)
            }
            reader.shutDown()
            await running
            return try read.get()
        }
    }

    /// Runs `body` with a ``Store`` that is set up as in the server. Throws the error of `body`, or an error if the
    /// database cannot be reached or has no catalogue.
    func withStore<Answer: Sendable>(_ body: @Sendable (Store) async throws -> Answer) async throws -> Answer {
        try await withPool { pool in
            let store = Store(
                pool: pool, catalogue: try await openCatalogue(pool),
                settings: try await LedgerSettings(settings, from: pool, clock: clock), clock: clock)
            async let running: Void = store.run()
            let answer: Result<Answer, any Error>
            do {
                answer = .success(try await body(store))
            } catch {
                answer = .failure(error)
            }
            store.shutDown()
            await running
            return try answer.get()
        }
    }

    /// Reads the catalogue's versions. Throws if the database cannot be reached or has no catalogue.
    func openCatalogue(_ pool: Pool) async throws -> CatalogueVersionCache {
        guard let versionCache = try await CatalogueVersionCache.open(pool: pool, read: CatalogueFile.stored) else {
            throw DatabaseOpening.Refusal.noCatalogue
        }
        return versionCache
    }
}

import Entitlements
import LedgerStore
import MariaDB

/// What commands read and write through the ledger, as a server would.
extension Startup {
    /// What is recorded of a user, and the catalogue in force. Throws when the database is away or holds no catalogue.
    func ledger(of user: UserID) async throws -> (ledger: UserLedger, catalogue: CatalogueVersions) {
        try await withPool { pool in
            let (ledger, shelf) = try await openLedger(pool)
            let reader = ledger.reader()
            async let running: Void = reader.run()
            let read: Result<UserLedger, any Error>
            do {
                read = .success(try await reader.ledger(of: user))
            } catch {
                read = .failure(error)
            }
            reader.shutDown()
            await running
            return (try read.get(), shelf.snapshot)
        }
    }

    /// Records what `deciding` decides about a user, and enters it into the audit trail if it changes anything. Throws when
    /// the database is away or holds no catalogue.
    func recorded<Reply, Refusal>(
        for user: UserID, keys: Set<PurchaseKey>, audit: AuditedAct,
        deciding: @escaping @Sendable (PurchaseHistory, CatalogueVersions) -> Decision<Reply, Refusal>
    ) async throws -> Result<Reply, Refusal> {
        try await withPool { pool in
            let ledger = try await openLedger(pool).ledger
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

    private func openLedger(_ pool: Pool) async throws -> (ledger: Ledger, shelf: CatalogueShelf) {
        guard let shelf = try await CatalogueShelf.open(pool: pool, read: CatalogueFile.stored) else {
            throw DatabaseOpening.Refusal.noCatalogue
        }
        let ledgerSettings = LedgerSettings(
            entitlements: settings.entitlements, decodesLegacyTokens: settings.accountTokens.legacyHexUserID,
            tombstoneKey: settings.tokens.tombstoneKey)
        let ledger = Ledger(
            pool: pool, catalogue: shelf, settings: ledgerSettings, now: Surroundings.now, salt: Surroundings.noteSalt)
        return (ledger, shelf)
    }
}

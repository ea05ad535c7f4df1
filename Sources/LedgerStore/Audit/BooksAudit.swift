package import Entitlements
package import MariaDB

/// Everything that is verified: the audit trail, the API keys against it, and the ledgers.
package struct BooksAudit: Sendable {
    package let trail: AuditVerification.Outcome
    package let keys: APIKeyAudit.Outcome
    package let ledgers: LedgerAudit.Outcome

    /// Verifies all of it while servers go on, also against a head of the trail that was exported earlier. Calls
    /// `onPage` after each page of the ledgers, and goes on when it returns. Throws when the database is away.
    package init(
        of pool: Pool, against export: ExportedAuditHead? = nil,
        onPage: @Sendable (LedgerAudit.Progress) async -> Void
    ) async throws(DatabaseError) {
        trail = try await AuditVerification.run(from: pool, against: export)
        keys = try await APIKeyAudit.run(from: pool)
        ledgers = try await LedgerAudit(pool: pool).run(onPage: onPage)
    }

    /// The same with the ledger of `user` alone; nil for one never seen. Throws when the database is away.
    package init?(
        of pool: Pool, against export: ExportedAuditHead? = nil, ledgerOf user: UserID
    ) async throws(DatabaseError) {
        guard let ledgers = try await LedgerAudit(pool: pool).run(of: user) else { return nil }
        self.ledgers = ledgers
        trail = try await AuditVerification.run(from: pool, against: export)
        keys = try await APIKeyAudit.run(from: pool)
    }

    /// What is wrong, a line each, without a user's id.
    package var faults: [String] {
        trail.defects.map { "audit trail: \($0)" } + keys.faults.map(\.description) + ledgers.faults.map(\.unnamed)
    }

    /// The same for those who may read user ids.
    package var namedFaults: [String] {
        trail.defects.map { "audit trail: \($0)" } + keys.faults.map(\.description)
            + ledgers.faults.map(\.description)
    }
}

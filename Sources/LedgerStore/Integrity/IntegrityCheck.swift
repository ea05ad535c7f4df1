package import Entitlements
package import MariaDB

/// The results of an integrity check: the audit trail, the API keys against it, the signed states and the ledgers.
package struct IntegrityCheck: Sendable {
    package let trail: AuditTrailCheck.Outcome
    package let keys: APIKeyCheck.Outcome
    package let states: StateCheck.Outcome
    package let ledgers: LedgerCheck.Outcome

    /// Verifies all of it while servers go on, also against a head of the trail that was exported earlier. Calls
    /// `onPage` after each page of the signed states and of the ledgers, and goes on when it returns. Throws when the
    /// database is away.
    package init(
        of pool: Pool, against export: ExportedAuditHead? = nil,
        onPage: @Sendable (LedgerCheck.Progress) async -> Void
    ) async throws(ServiceFailure) {
        trail = try await AuditTrailCheck.run(from: pool, against: export)
        keys = try await APIKeyCheck.run(from: pool)
        states = try await StateCheck.run(from: pool) { await onPage(LedgerCheck.Progress(states: $0)) }
        ledgers = try await LedgerCheck(pool: pool).run(onPage: onPage)
    }

    /// Checks the books with the ledger of `user` alone, and the signed states of what they have; nil for a user never
    /// seen. Throws when the database is away.
    package init?(
        of pool: Pool, against export: ExportedAuditHead? = nil, ledgerOf user: UserID
    ) async throws(ServiceFailure) {
        let check = LedgerCheck(pool: pool)
        guard let pseudonym = try await check.pseudonym(of: user) else { return nil }
        ledgers = try await check.run(of: pseudonym)
        trail = try await AuditTrailCheck.run(from: pool, against: export)
        keys = try await APIKeyCheck.run(from: pool)
        states = try await StateCheck.run(from: pool, of: pseudonym) { _ in }
    }

    /// The faults, a line each, without a user's id.
    package var faults: [String] {
        unnamedFaults + ledgers.faults.map(\.unnamed)
    }

    /// The faults with user ids, for operators who may read them.
    package var namedFaults: [String] {
        unnamedFaults + ledgers.faults.map(\.description)
    }

    private var unnamedFaults: [String] {
        trail.defects.map { "audit trail: \($0)" } + keys.faults.map(\.description)
            + states.faults.map { "row \($0) of apple_iap_transactions does not agree with itself" }
    }
}

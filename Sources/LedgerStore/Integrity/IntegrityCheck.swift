package import Entitlements
package import MariaDB

/// The results of an integrity check of the audit trail, the API keys, the signed states, the ledgers and what is
/// derived from them.
package struct IntegrityCheck: Sendable {
    package let trail: AuditTrailCheck.Outcome
    package let keys: APIKeyCheck.Outcome
    package let states: StateCheck.Outcome
    package let ledgers: LedgerCheck.Outcome
    /// The faults of derived rows, about people whose ledgers have none.
    package let derived: [LedgerFault]

    /// The derived tables, and the catalogue that they follow from.
    package typealias Derived = (projection: Projection, catalogue: CatalogueVersions)

    /// Checks everything while servers go on working. If `export` is given, the audit trail is also compared with that
    /// earlier head. Without `derived`, no derived rows are checked.
    ///
    /// `onPage` is called after each page of signed states and of ledgers, and the check goes on when it returns.
    /// Throws when the database is away.
    package init(
        of pool: Pool, against export: ExportedAuditHead? = nil, derived: Derived? = nil,
        onPage: @Sendable (LedgerCheck.Progress) async -> Void
    ) async throws(ServiceFailure) {
        trail = try await AuditTrailCheck.run(from: pool, against: export)
        keys = try await APIKeyCheck.run(from: pool)
        states = try await StateCheck.run(from: pool) { await onPage(LedgerCheck.Progress(states: $0)) }
        let ledgers = try await LedgerCheck(pool: pool).run(onPage: onPage)
        self.ledgers = ledgers
        guard let (projection, catalogue) = derived else {
            self.derived = []
            return
        }
        self.derived = try await projection.faults(given: catalogue, besides: ledgers.faults) {
            await onPage(ledgers.done)
        }
    }

    /// Checks the audit trail and the API keys, and for one user the ledger and the signed states of the user's
    /// purchases. Nil for a user who was never seen. Throws when the database is away.
    package init?(
        of pool: Pool, against export: ExportedAuditHead? = nil, derived: Derived? = nil, ledgerOf user: UserID
    ) async throws(ServiceFailure) {
        let check = LedgerCheck(pool: pool)
        guard let pseudonym = try await check.pseudonym(of: user) else { return nil }
        ledgers = try await check.run(of: pseudonym)
        trail = try await AuditTrailCheck.run(from: pool, against: export)
        keys = try await APIKeyCheck.run(from: pool)
        states = try await StateCheck.run(from: pool, of: pseudonym) { _ in }
        guard let (projection, catalogue) = derived else {
            self.derived = []
            return
        }
        self.derived = try await projection.faults(given: catalogue, besides: ledgers.faults, of: pseudonym)
    }

    /// The faults, one line each, without user ids.
    package var faults: [String] {
        unnamedFaults + (ledgers.faults + derived).map(\.unnamed)
    }

    /// The faults, one line each, with user ids, for operators who may read them.
    package var namedFaults: [String] {
        unnamedFaults + (ledgers.faults + derived).map(\.description)
    }

    private var unnamedFaults: [String] {
        trail.defects.map { "audit trail: \($0)" } + keys.faults.map(\.description)
            + states.faults.map { "row \($0) of apple_iap_transactions does not agree with itself" }
    }
}

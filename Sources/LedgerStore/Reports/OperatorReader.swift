package import Entitlements
package import MariaDB

/// Reads across users, for servers and operators.
package struct OperatorReader: Sendable {
    /// The longest text that anything is found by.
    package static let maximumQueryLength = 255
    /// How many things one search finds at most.
    package static let maximumFound = 100
    /// How many rows are gone over at once for those that are looked for.
    package static let rowsGoneOver = 5_000

    private let pool: Pool

    package init(pool: Pool) {
        self.pool = pool
    }

    /// The finds of which `text` is the exact name: a user id, a pseudonym with `#` before it, a transaction id, a
    /// store's original id, an issued account token, whose label `labels` make. Throws when the database is away.
    package func search(_ text: String, under labels: Labels) async throws(ServiceFailure) -> [Found] {
        guard text.utf8.count <= Self.maximumQueryLength, text.utf8.allSatisfy({ $0 < 0x80 }) else { return [] }
        return try await pool.ask { (session) throws(DatabaseError) in
            var found: [Found] = []
            if let user = UserID(text), try UserRow.isKnown(user, in: session) { found.append(.user(user)) }
            if let person = try FoundRow.person(text, in: session) { found.append(person) }
            if let label = AccountToken(text).map({ labels.label(of: $0) }),
                let user = try AccountTokenRow.holders(of: [label], in: session)[label], !user.isErased
            {
                found.append(.accountToken(user))
            }
            found += try FoundRow.purchases(externalID: text, limit: Self.maximumFound, in: session)
            found += try FoundRow.transactions(transactionID: text, limit: Self.maximumFound, in: session)
            return Array(found.prefix(Self.maximumFound))
        }
    }

    /// A page of the signed states of transactions, the last recorded first. Throws when the database is away.
    package func transactions(
        before id: UInt64?, limit: Int
    ) async throws(ServiceFailure) -> [RecordedTransaction] {
        try await pool.ask { (session) throws(DatabaseError) in
            try FoundRow.page(before: id, limit: limit, in: session)
        }
    }

    /// A page of deliveries, of those only that came to `result` and for `reason` if these are given, the last received
    /// first. Throws when the database is away.
    package func deliveries(
        before id: UInt64?, limit: Int, of result: DeliveryResult?, because reason: DeliveryReason? = nil
    ) async throws(ServiceFailure) -> [RecordedDelivery] {
        try await pool.ask { (session) throws(DatabaseError) in
            try InboxDeliveryRow.page(before: id ?? .max, limit: limit, of: result, because: reason, in: session)
        }
    }

    /// The audit trail, newest first. Throws when the database is away.
    package func auditEntries(before id: UInt64?, limit: Int) async throws(ServiceFailure) -> [AuditEntry] {
        try await AuditTrail.page(before: id, limit: limit, from: pool)
    }

    /// Up to `limit` of those who had coverage that ends after `place` and begins before `endsAt`, each once; there may
    /// be more though none was found, because it goes over so many rows only. Throws when the database is away.
    package func covered(
        after place: CoveredUsers.Place, before endsAt: Instant, limit: Int
    ) async throws(ServiceFailure) -> CoveredUsers {
        let rows = try await pool.ask { (session) throws(DatabaseError) in
            try CoveredRow.page(after: place, before: endsAt, limit: Self.rowsGoneOver, in: session)
        }
        var members: [CoveredUsers.Member] = []
        for row in rows {
            if let member = row.member { members.append(member) }
            if members.count == limit { return CoveredUsers(members: members, next: row.place) }
        }
        return CoveredUsers(members: members, next: rows.count == Self.rowsGoneOver ? rows.last?.place : nil)
    }

    /// Up to `limit` purchases before `id` that had ended when they became their owners'. Throws when the database is
    /// away.
    package func latePassCandidates(before id: UInt64?, limit: Int) async throws(ServiceFailure) -> ListPage<
        LatePassCandidate
    > {
        try await page(.purchases, before: id, limit: limit, LatePassRow.page, number: \.id)
    }

    /// Up to `limit` purchases before `id` that may be `anomaly`, or any if that is nil: all that are, and others that
    /// only their owners' ledgers tell apart. Throws when the database is away.
    package func anomalyCandidates(
        before id: UInt64?, limit: Int, of anomaly: Anomaly?, given catalogue: CatalogueVersions
    ) async throws(ServiceFailure) -> ListPage<AnomalyCandidate> {
        try await page(
            .purchases, before: id, limit: limit,
            { (id, floor, limit, session) throws(DatabaseError) in
                try AnomalyRow.page(
                    before: id, downTo: floor, limit: limit, of: anomaly, given: catalogue, in: session)
            }, number: \.id)
    }

    /// Up to `limit` Apple accounts whose purchases several users have, and of which no state was recorded at `id` or
    /// later. Throws when the database is away.
    package func conflicts(before id: UInt64?, limit: Int) async throws(ServiceFailure) -> ListPage<AccountConflict> {
        try await page(.states, before: id, limit: limit, ConflictRow.page, number: \.id)
            .filter { conflict in conflict.owners.count { $0.user != nil } > 1 }
    }

    /// Up to `limit` users before `id` who are on the list of sandbox testers. Throws when the database is away.
    package func sandboxTesters(before id: UInt64?, limit: Int) async throws(ServiceFailure) -> ListPage<SandboxTester>
    {
        try await page(.sandboxTesters, before: id, limit: limit, SandboxTesterRow.page, number: \.id)
    }

    private func page<Row>(
        _ floor: RowFloor, before id: UInt64?, limit: Int,
        _ read: @escaping @Sendable (UInt64, UInt64, Int, Session) throws(DatabaseError) -> [Row],
        number: (Row) -> UInt64
    ) async throws(ServiceFailure) -> ListPage<Row> {
        let id = id ?? .max
        let (rows, floor) = try await pool.ask { (session) throws(DatabaseError) in
            let floor = try floor.number(before: id, rows: Self.rowsGoneOver, in: session)
            return (try read(id, floor ?? 0, limit, session), floor)
        }
        return ListPage(rows, limit: limit, downTo: floor, number: number)
    }
}

/// A purchase or transaction that a search found, and its owner.
package enum Found: Hashable, Sendable {
    /// Nil for a person who was erased, found by their pseudonym.
    case user(UserID?)
    /// The token issued to the user.
    case accountToken(UserID)
    case purchase(PurchaseKey, owner: UserID?)
    /// A transaction of a purchase.
    case transaction(TransactionID, of: PurchaseKey, owner: UserID?)
}

/// A signed state of a transaction, as it was recorded.
package struct RecordedTransaction: Hashable, Sendable {
    /// Grows with each that is recorded.
    package let id: UInt64
    package let state: VerifiedPurchase
    package let owner: UserID?
    package let recordedAt: Instant
    /// The members of its text that decide nothing and could not be read.
    package let unreadable: [String]
}

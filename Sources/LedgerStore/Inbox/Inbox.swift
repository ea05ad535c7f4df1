package import Entitlements
package import MariaDB

/// The deliveries of stores: stored before anything is done about them, so that none is lost.
package struct Inbox: Sendable {
    /// How long after its arrival a delivery is tried by a job, if it was not placed at once.
    private static let patience: Int64 = 10_000

    private let pool: Pool
    private let headers = SignedHeaders()
    private let now: @Sendable () -> Instant
    private let realNow: @Sendable () -> Instant

    /// - Parameters:
    ///   - now: The clock of facts.
    ///   - realNow: Real time, for when work is due.
    package init(
        pool: Pool, now: @escaping @Sendable () -> Instant, realNow: @escaping @Sendable () -> Instant
    ) {
        self.pool = pool
        self.now = now
        self.realNow = realNow
    }

    /// Stores a delivery, with a job that places it if nothing else does; when this returns, it is on disk.
    ///
    /// Repeat is safe: the same content under the same id has one row, and what became of it is returned. One that was
    /// given up is placed again, with all its tries. Throws when the database is away.
    package func receive(_ delivery: InboxDelivery) async throws(ServiceFailure) -> StoredDelivery {
        let header = try await header(of: delivery.text)
        let (now, realNow) = (now(), realNow())
        return try await pool.commit { (session) throws(DatabaseError) in
            let stored = try InboxDeliveryRow.insert(
                delivery, header: header, at: now, in: session)
            guard !stored.standing.isSettled else { return stored }
            let dueAt = realNow + Self.patience
            guard stored.standing.result == .quarantined else {
                try JobRow.add(.delivery, about: stored.id, dueAt: dueAt, now: realNow, in: session)
                return stored
            }
            try InboxDeliveryRow.reopen(stored.id, in: session)
            try JobRow.revive(.delivery, about: stored.id, dueAt: dueAt, now: realNow, in: session)
            return StoredDelivery(id: stored.id, standing: .pending)
        }
    }

    /// The row of the header of a compact JWS. Throws when the database is away.
    private func header(of text: InboxText) async throws(ServiceFailure) -> UInt64? {
        guard case .jws(let jws, _) = text else { return nil }
        return try await headers.rows(of: [jws], in: pool)[jws.header]
    }

    /// Those of a source's ids that deliveries came under, whatever became of them. Throws when the database is away.
    package func known(_ externalIDs: [String], in space: NumberSpace) async throws(ServiceFailure) -> Set<String> {
        try await pool.ask { (session) throws(DatabaseError) in
            try InboxDeliveryRow.known(externalIDs, in: space, session: session)
        }
    }

    /// What became of a delivery; nil when there is none. Throws when the database is away.
    package func standing(of delivery: UInt64) async throws(ServiceFailure) -> DeliveryStanding? {
        try await pool.ask { (session) throws(DatabaseError) in
            try InboxDeliveryRow.read(delivery, in: session)?.standing
        }
    }

    /// The content that is kept of a delivery; nil when there is none. Throws when the database is away.
    package func content(of delivery: UInt64) async throws(ServiceFailure) -> DeliveryContent? {
        try await pool.ask { (session) throws(DatabaseError) in
            try InboxTextRow.read(of: delivery, in: session)
        }
    }

    /// Has a delivery placed again by a job, at once and with all its tries, and enters that into the audit trail; nil
    /// when there is no such delivery. What it changed before it cannot change twice, so what was applied stays so; one
    /// of which nothing is left to place stays as it is. Throws when the database is away.
    package func replay(
        _ delivery: UInt64, by actor: Actor, reason: String?, audit: AuditTrail
    ) async throws(ServiceFailure) -> RecordedDelivery? {
        let (now, realNow) = (now(), realNow())
        return try await pool.commit { (session) throws(DatabaseError) in
            guard let recorded = try InboxDeliveryRow.read(delivery, in: session) else { return nil }
            let content = try InboxTextRow.read(of: delivery, in: session)
            guard content?.text != nil || content?.takeback != nil else { return recorded }
            try InboxDeliveryRow.reopen(delivery, in: session)
            try JobRow.revive(.delivery, about: delivery, dueAt: realNow, now: realNow, in: session)
            try audit.append(
                AuditRecord(
                    at: now, actor: actor, action: .replayDelivery, subject: nil,
                    details: ["delivery": "\(delivery)", "external_id": recorded.externalID], reason: reason),
                in: session)
            return try InboxDeliveryRow.read(delivery, in: session)
        }
    }

    /// Whom an account token or a store's customer names by its label; nil for one that nobody was issued or that was
    /// never named. Throws when the database is away.
    package func holder(of token: Label) async throws(ServiceFailure) -> UserID? {
        try await pool.commit { (session) throws(DatabaseError) in
            try AccountTokenRow.waitForWriter(of: token, in: session)
            return try AccountTokenRow.holders(of: [token], in: session)[token]
        }
    }

    /// True if the person of this id, whom deliveries mention as `name`, was erased and is not known again. Throws when
    /// the database is away.
    package func isErased(_ user: UserID, named name: Label) async throws(ServiceFailure) -> Bool {
        try await pool.ask { (session) throws(DatabaseError) in
            guard try AccountTokenRow.holders(of: [name], in: session)[name]?.isErased == true else { return false }
            return try !UserRow.isKnown(user, in: session)
        }
    }
}

/// What became of a delivery, written with what it changed.
package struct DeliveryOutcome: StoredSideRow {
    package let delivery: UInt64
    package let standing: DeliveryStanding
    /// The purchase that it proved to be about.
    package let purchase: ExternalID?
    /// What it waits for: labels of customers, numbers of purchases.
    package let awaited: [String]
    /// Whether what it waits for is looked for once more, now that it says so.
    package let isLookedAtAgain: Bool

    package init(
        of delivery: UInt64, _ standing: DeliveryStanding, about purchase: ExternalID? = nil,
        awaiting awaited: [String] = [], isLookedAtAgain: Bool = false
    ) {
        self.delivery = delivery
        self.standing = standing
        self.purchase = purchase
        self.awaited = awaited
        self.isLookedAtAgain = isLookedAtAgain
    }

    /// Writes the row, and removes the delivery's job. That stays while it is to be looked at again, in case nobody
    /// comes to that, and if what it waits for became known after this was decided. Throws when the database is away.
    package func write(beside rows: WrittenRows, in session: Session) throws(DatabaseError) {
        try DeliveryMentionRow.insert(awaited, of: delivery, isAwaited: true, in: session)
        try InboxDeliveryRow.settle(delivery, as: standing, about: purchase, at: rows.recordedAt, in: session)
        guard standing.isSettled || !isLookedAtAgain else { return }
        try JobRow.remove(.delivery, about: delivery, evenIfWoken: standing.isSettled, in: session)
    }
}

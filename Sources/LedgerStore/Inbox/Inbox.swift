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
    /// Repeat is safe: the same content under the same id has one row, whose standing is returned. A delivery that was
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

    /// The ids of a source, among `externalIDs`, under which deliveries came. Throws when the database is away.
    package func known(_ externalIDs: [String], in space: NumberSpace) async throws(ServiceFailure) -> Set<String> {
        try await pool.ask { (session) throws(DatabaseError) in
            try InboxDeliveryRow.known(externalIDs, in: space, session: session)
        }
    }

    /// The standing of a delivery; nil when there is none. Throws when the database is away.
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

    /// Has a job place a delivery again, at once and with all its tries, and enters that into the audit trail; nil when
    /// there is no such delivery. Changes that it has made it cannot make twice, so an applied delivery stays so. A
    /// delivery of which nothing is left to place stays as it is. Throws when the database is away.
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
}

extension Inbox {
    /// Places the delivery `id`: records what it shows, gives its purchase to the user whom it names, and notes what
    /// became of it, all in one transaction of `ledger`. Throws when the database is away.
    package static func place(
        _ delivery: ReadDelivery, as id: UInt64, under rules: ClaimRules, in ledger: Ledger
    ) async throws(ServiceFailure) -> DeliveryStanding {
        let place = PlaceDelivery(delivery.news, as: id, under: rules)
        return try await ledger.record(delivery.evidence, for: [], placing: delivery.news) { history, _ in
            place.decide(given: history)
        }.answer.get()
    }

    /// Notes that the text of a delivery is gone that takes nothing back. Throws when the database is away.
    package static func noteTextGone(
        _ id: UInt64, in ledger: Ledger
    ) async throws(ServiceFailure) -> DeliveryStanding {
        let standing = DeliveryStanding(.parked, because: .textGone)
        return try await ledger.record(for: []) { _ -> Decision<DeliveryStanding, Never> in
            Decision(placement: Placement(of: id, standing), answer: .success(standing))
        }.answer.get()
    }
}

/// A delivery as its source reads it: its news, and the statements that it shows.
package struct ReadDelivery: Sendable {
    package let news: DeliveryNews
    package let evidence: [Evidence]

    package init(_ news: DeliveryNews, showing evidence: [Evidence] = []) {
        self.news = news
        self.evidence = evidence
    }
}

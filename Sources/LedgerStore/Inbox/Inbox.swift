package import Entitlements
package import MariaDB

/// The inbox of deliveries. A delivery is stored before it is processed, so that none is lost.
package struct Inbox: Sendable {
    /// The delay, in milliseconds, after which a job tries a delivery that was not placed on arrival.
    private static let patience: Int64 = 10_000

    private let pool: Pool
    private let headers = SignedHeaders()
    private let now: @Sendable () -> Instant
    private let realNow: @Sendable () -> Instant

    /// - Parameters:
    ///   - now: The clock that dates facts; a test may move it.
    ///   - realNow: Real time, which decides when jobs are due.
    package init(
        pool: Pool, now: @escaping @Sendable () -> Instant, realNow: @escaping @Sendable () -> Instant
    ) {
        self.pool = pool
        self.now = now
        self.realNow = realNow
    }

    /// Stores a delivery, the amounts that it tells, and a job that places it later if nothing else does. All is
    /// committed when this returns. So money is kept of a delivery that is parked or ignored, too.
    ///
    /// Repeat is safe: the same content under the same id has one row, and its outcome (the result and its reason) is
    /// returned. A quarantined delivery that comes again becomes pending, and its tries are counted from 0 again.
    /// Throws when the database is away.
    package func receive(_ delivery: InboxDelivery) async throws(ServiceFailure) -> StoredDelivery {
        let header = try await header(of: delivery.text)
        let (now, realNow) = (now(), realNow())
        return try await pool.commit { (session) throws(DatabaseError) in
            let stored = try InboxDeliveryRow.insert(
                delivery, header: header, at: now, in: session)
            guard !stored.outcome.isSettled else { return stored }
            if let amount = delivery.amount {
                let space = NumberSpace(source: delivery.source, app: delivery.app, environment: delivery.environment)
                try PaymentAmountRow.keep(amount, in: space, session: session)
            }
            let dueAt = realNow + Self.patience
            guard stored.outcome.result == .quarantined else {
                try JobRow.add(.delivery, about: stored.id, dueAt: dueAt, now: realNow, in: session)
                return stored
            }
            try InboxDeliveryRow.reopen(stored.id, in: session)
            try JobRow.revive(.delivery, about: stored.id, dueAt: dueAt, now: realNow, in: session)
            return StoredDelivery(id: stored.id, type: stored.type, outcome: .pending)
        }
    }

    /// The id of the row in `signed_headers` with the header of a compact JWS; nil for any other text. Throws when the
    /// database is away.
    private func header(of text: InboxText) async throws(ServiceFailure) -> UInt64? {
        guard case .jws(let jws, _) = text else { return nil }
        return try await headers.rows(of: [jws], in: pool)[jws.header]
    }

    /// The ids among `externalIDs` under which this source already delivered something. Throws when the database is
    /// away.
    package func known(_ externalIDs: [String], in space: NumberSpace) async throws(ServiceFailure) -> Set<String> {
        try await pool.ask { (session) throws(DatabaseError) in
            try InboxDeliveryRow.known(externalIDs, in: space, session: session)
        }
    }

    /// The result of placing a delivery, and the reason for it; nil if there is no such delivery. Throws when the
    /// database is away.
    package func outcome(of delivery: UInt64) async throws(ServiceFailure) -> DeliveryOutcome? {
        try await pool.ask { (session) throws(DatabaseError) in
            try InboxDeliveryRow.read(delivery, in: session)?.outcome
        }
    }

    /// The text and the takeback that are still stored of a delivery; nil if there is no such delivery. Throws when the
    /// database is away.
    package func content(of delivery: UInt64) async throws(ServiceFailure) -> DeliveryContent? {
        try await pool.ask { (session) throws(DatabaseError) in
            try InboxTextRow.read(of: delivery, in: session)
        }
    }

    /// The payments for the purchases of `keys`, the last made first, as the deliveries told them; a purchase of which
    /// none told an amount has no entry. It is one statement for all of them. Throws when the database is away.
    package func payments(
        for keys: [PurchaseKey]
    ) async throws(ServiceFailure) -> [PurchaseKey: [Payment]] {
        guard !keys.isEmpty else { return [:] }
        return try await pool.ask { (session) throws(DatabaseError) in
            try PaymentAmountRow.payments(for: keys, in: session)
        }
    }

    /// The delivery with this id; nil if there is none. Throws when the database is away.
    package func delivery(_ id: UInt64) async throws(ServiceFailure) -> RecordedDelivery? {
        try await pool.ask { (session) throws(DatabaseError) in try InboxDeliveryRow.read(id, in: session) }
    }

    /// Makes a job place a delivery again, at once and with its tries counted from 0, and enters this replay into the
    /// audit trail. Returns the delivery; nil if there is none.
    ///
    /// An applied delivery stays applied, because its changes cannot be made twice. A delivery with neither text nor
    /// takeback stays as it is, without an audit entry. Throws when the database is away.
    package func replay(
        _ delivery: UInt64, by actor: Actor, reason: String?, audit: AuditTrail
    ) async throws(ServiceFailure) -> RecordedDelivery? {
        let (now, realNow) = (now(), realNow())
        return try await pool.commit { (session) throws(DatabaseError) in
            guard let recorded = try InboxDeliveryRow.read(delivery, in: session) else { return nil }
            guard try Self.reopen(delivery, at: realNow, in: session) else { return recorded }
            try audit.append(
                AuditRecord(
                    at: now, actor: actor, action: .replayDelivery, subject: nil,
                    details: ["delivery": "\(delivery)", "external_id": recorded.externalID], reason: reason),
                in: session)
            return try InboxDeliveryRow.read(delivery, in: session)
        }
    }

    /// Opens the body of a delivery for a person, and enters this into the audit trail, because it names people.
    /// Returns what is stored; nil if there is no such delivery. Throws when the database is away.
    package func open(
        _ delivery: UInt64, by actor: Actor, audit: AuditTrail
    ) async throws(ServiceFailure) -> DeliveryContent? {
        let now = now()
        return try await pool.commit { (session) throws(DatabaseError) -> DeliveryContent? in
            guard let content = try InboxTextRow.read(of: delivery, in: session),
                let recorded = try InboxDeliveryRow.read(delivery, in: session)
            else { return nil }
            try audit.append(
                AuditRecord(
                    at: now, actor: actor, action: .openDelivery, subject: nil,
                    details: ["delivery": "\(delivery)", "external_id": recorded.externalID], reason: nil),
                in: session)
            return content
        }
    }

    /// The job with this id; nil if there is none. Throws when the database is away.
    package func job(_ id: UInt64) async throws(ServiceFailure) -> RecordedJob? {
        try await pool.ask { (session) throws(DatabaseError) in try JobRow.read(id, in: session) }
    }

    /// Makes a dead job due at once, with its tries counted from 0, and enters this into the audit trail. The
    /// delivery that it places is pending then. Returns the job; nil if there is none.
    ///
    /// A job that is not dead, or whose delivery has neither text nor takeback, stays as it is, without an audit entry.
    /// Throws when the database is away.
    package func revive(
        job id: UInt64, by actor: Actor, reason: String?, audit: AuditTrail
    ) async throws(ServiceFailure) -> RecordedJob? {
        let (now, realNow) = (now(), realNow())
        return try await pool.commit { (session) throws(DatabaseError) in
            guard let job = try JobRow.read(id, in: session) else { return nil }
            guard job.state == .dead else { return job }
            var details = ["job": "\(id)"]
            if let delivery = job.delivery {
                guard try Self.reopen(delivery, at: realNow, in: session) else { return job }
                details["delivery"] = "\(delivery)"
            } else {
                try JobRow.revive(job.kind, about: job.subject, dueAt: realNow, now: realNow, in: session)
            }
            try audit.append(
                AuditRecord(
                    at: now, actor: actor, action: .reviveJob, subject: nil, details: details, reason: reason),
                in: session)
            return try JobRow.read(id, in: session)
        }
    }

    /// Makes a delivery pending and its job due at once. False, with nothing changed, if neither a text nor a takeback
    /// is left to place.
    private static func reopen(
        _ delivery: UInt64, at realNow: Instant, in session: Session
    ) throws(DatabaseError) -> Bool {
        let content = try InboxTextRow.read(of: delivery, in: session)
        guard content?.text != nil || content?.takeback != nil else { return false }
        try InboxDeliveryRow.reopen(delivery, in: session)
        try JobRow.revive(.delivery, about: delivery, dueAt: realNow, now: realNow, in: session)
        return true
    }
}

extension Inbox {
    /// Places the delivery `id`: records its statements, gives its purchase to the user whom it names, and writes and
    /// returns the delivery's outcome (the result and its reason). All of it is one transaction of `ledger`. Throws
    /// when the database is away.
    package static func place(
        _ delivery: ReadDelivery, as id: UInt64, under rules: ClaimRules, in ledger: Ledger
    ) async throws(ServiceFailure) -> DeliveryOutcome {
        let place = PlaceDelivery(delivery.news, as: id, under: rules)
        return try await ledger.record(delivery.evidence, for: [], placing: delivery.news) { history, _ in
            place.decide(given: history)
        }.answer.get()
    }

    /// Marks a delivery as parked with the reason `text_gone`: its text is deleted and it has no takeback. Throws when
    /// the database is away.
    package static func noteTextGone(
        _ id: UInt64, in ledger: Ledger
    ) async throws(ServiceFailure) -> DeliveryOutcome {
        let outcome = DeliveryOutcome(.parked, because: .textGone)
        return try await ledger.record(for: []) { _ -> Decision<DeliveryOutcome, Never> in
            Decision(placement: Placement(of: id, outcome), answer: .success(outcome))
        }.answer.get()
    }
}

/// A delivery as the reader of its source understood it: its news, and the statements that it shows.
package struct ReadDelivery: Sendable {
    package let news: DeliveryNews
    package let evidence: [Evidence]

    package init(_ news: DeliveryNews, showing evidence: [Evidence] = []) {
        self.news = news
        self.evidence = evidence
    }
}

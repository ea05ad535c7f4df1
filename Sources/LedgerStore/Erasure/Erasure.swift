package import Entitlements
package import MariaDB
import Synchronization

/// Erases people. Everything that names the person is deleted; the facts stay under the pseudonym (`semantics.md` §5).
package struct Erasure: Sendable {
    /// The statements that erase by pseudonym. They delete the user id, the notes in ledgers and the audit notes.
    private static let byPseudonym = [
        SQLStatement("erase user", "UPDATE users SET user_id = NULL WHERE pseudonym = ?"),
        SQLStatement("erase standing", "DELETE FROM standings WHERE user_id = ?"),
        SQLStatement("erase standing answer", "DELETE FROM standing_answers WHERE user_id = ?"),
        SQLStatement("erase history walks", "DELETE FROM history_walks WHERE user_id = ?"),
        SQLStatement("erase history job", "DELETE FROM jobs WHERE kind = 'history' AND subject = ?"),
        // An open question about a purchase that has moved is its present owner's.
        SQLStatement(
            "keep open questions of others",
            """
            UPDATE consumption_requests r SET r.user_id = NULL
            WHERE r.user_id = ? AND r.decided_at IS NULL AND NOT EXISTS (
                SELECT 1 FROM purchases p
                WHERE p.source = 'apple_iap' AND p.app = r.app AND p.environment = r.environment
                    AND p.external_id = r.purchase AND p.user_id = r.user_id)
            """),
        SQLStatement("erase consumption requests", "DELETE FROM consumption_requests WHERE user_id = ?"),
        SQLStatement("erase refused claims", "DELETE FROM refused_claims WHERE user_id = ?"),
        SQLStatement("erase lookups", "DELETE FROM lookups WHERE user_id = ?"),
        SQLStatement("erase lookup job", "DELETE FROM jobs WHERE kind = 'lookup' AND subject = ?"),
        SQLStatement("erase notes", "DELETE FROM notes WHERE user_id = ?"),
        SQLStatement("erase notes about two", "DELETE FROM notes WHERE other_user_id = ?"),
        SQLStatement("erase audit notes", "DELETE n \(auditNotes) WHERE e.subject = ?"),
        SQLStatement("erase audit notes about two", "DELETE n \(auditNotes) WHERE e.other_subject = ?"),
    ]

    private static let auditNotes = "FROM audit_entries e STRAIGHT_JOIN audit_notes n ON n.entry_id = e.id"

    private static let textsOfPerson = """
        FROM \(PersonDeliveries.presentAndPast)
        STRAIGHT_JOIN apple_iap_transactions t ON t.purchase_id = h.id
        STRAIGHT_JOIN signed_texts s ON s.state_id = t.id
        """

    /// Deletes the signed texts of all purchases that the person has or had.
    private static let texts = SQLStatement("erase texts", "DELETE s " + textsOfPerson)

    /// Counts, by pseudonym, the rows of each table that an erasure deletes or empties.
    private static let counts = SQLStatement(
        "count rows to erase",
        """
        SELECT (SELECT COUNT(*) FROM account_tokens WHERE user_id = p.n AND token IS NOT NULL),
            (SELECT COUNT(*) FROM standings WHERE user_id = p.n),
            (SELECT COUNT(*) FROM standing_answers WHERE user_id = p.n),
            (SELECT COUNT(*) FROM history_walks WHERE user_id = p.n),
            (SELECT COUNT(*) FROM consumption_requests WHERE user_id = p.n),
            (SELECT COUNT(*) FROM refused_claims WHERE user_id = p.n),
            (SELECT COUNT(*) FROM lookups WHERE user_id = p.n AND p.n > 0),
            (SELECT COUNT(*) FROM notes WHERE user_id = p.n)
                + (SELECT COUNT(*) FROM notes WHERE other_user_id = p.n AND user_id <> p.n),
            (SELECT COUNT(*) \(auditNotes) WHERE e.subject = p.n)
                + (SELECT COUNT(*) \(auditNotes) WHERE e.other_subject = p.n AND e.subject <> p.n)
        FROM (SELECT ? n) p
        """)

    private static let countTexts = SQLStatement("count texts to erase", "SELECT COUNT(*) " + textsOfPerson)

    private let pool: Pool
    private let labels: Labels
    private let audit: AuditTrail
    private let now: @Sendable () -> Instant

    package init(
        pool: Pool, labels: Labels, audit: AuditTrail, now: @escaping @Sendable () -> Instant
    ) {
        self.pool = pool
        self.labels = labels
        self.audit = audit
        self.now = now
    }

    /// Erases `user` in one transaction, and returns the erased person's identity; nil for a user who was never seen.
    ///
    /// These are deleted:
    ///
    /// * the user id and the account token; their labels stay
    /// * the signed texts of all purchases that the person has or had
    /// * the texts of deliveries that name the person
    /// * the notes about the person in ledgers and in the audit trail
    /// * the kept answers to servers' requests about the person
    ///
    /// The label of the user id stays, so that the text of a later delivery that names the person is not kept either.
    /// No fact, hash or digest changes. The person's debt is written off.
    ///
    /// The erasure is entered into the audit trail under the pseudonym. If `remembering` is given, the answer that it
    /// makes is stored for repeats of the request, in the same transaction.
    ///
    /// Repeat is safe: the second time there is no user of that id. Throws when the database is away.
    package func erase(
        _ user: UserID, by actor: Actor, reason: String, remembering: (@Sendable () -> RememberedAnswer)? = nil
    ) async throws(ServiceFailure) -> UserID? {
        let now = now()
        let name = labels.mention(of: user)
        let attempted = Mutex<[UInt64]>([])
        let erased: UserID? = try await pool.commit { (session) throws(DatabaseError) in
            // If the connection broke at COMMIT, the erasure may be done already.
            if session.isInDoubt {
                for earlier in attempted.withLock({ $0 }) where try UserRow.isErased(earlier, in: session) {
                    return .erased(pseudonym: earlier)
                }
            }
            try MentionRow.lock([name.text], in: session)
            var person = try UserRow.lock(known: user, in: session)
            if person == nil { person = try addErased(named: name, at: now, in: session) }
            guard let pseudonym = person else { return nil }
            attempted.withLock { $0.append(pseudonym) }
            try session.execute(Self.texts, [.uint64(pseudonym), .uint64(pseudonym)])
            try removeDeliveries(of: pseudonym, named: name, in: session)
            // An Apple account that stands for another living user goes on standing for them.
            let holder = try AccountTokenRow.holders(of: [name], in: session)[name] ?? user
            if !user.isAppleAccount || holder == user || holder.isErased {
                try AccountTokenRow.move(name, to: pseudonym, at: now, in: session)
            }
            try AccountTokenRow.erase(of: pseudonym, at: now, in: session)
            for deletion in Self.byPseudonym { try session.execute(deletion, [.uint64(pseudonym)]) }
            let answer = remembering?()
            if let answer { try IdempotencyKeyRow.forgetSubject(of: answer.claim, in: session) }
            try IdempotencyKeyRow.forget(about: labels.label(.user, user.text), in: session)
            if let answer { try IdempotencyKeys.finish(answer, at: now, in: session) }
            try audit.append(
                AuditRecord(
                    at: now, actor: actor, action: .erase, subject: pseudonym, details: [:], reason: reason),
                in: session)
            return .erased(pseudonym: pseudonym)
        }
        // A task of its own, because a caller may have left, and no repeat would do this: nobody has the id any more.
        if let erased { try await Task { await removeLate(of: erased, who: user) }.value.get() }
        return erased
    }

    /// Removes deliveries and kept answers that were stored during the erasure and may not have found the person
    /// erased.
    private func removeLate(of erased: UserID, who user: UserID) async -> Result<Void, ServiceFailure> {
        guard let pseudonym = erased.pseudonym else { return .success(()) }
        do throws(ServiceFailure) {
            try await pool.commit { (session) throws(DatabaseError) in
                try removeDeliveries(of: pseudonym, named: labels.mention(of: user), in: session)
                try IdempotencyKeyRow.forget(about: labels.label(.user, user.text), in: session)
            }
            return .success(())
        } catch {
            return .failure(error)
        }
    }

    /// The rows that ``erase(_:by:reason:remembering:)`` would delete or empty now, by table; nil for a user who was
    /// never seen. Locks and writes nothing. Throws when the database is away.
    package func preview(_ user: UserID) async throws(ServiceFailure) -> [(table: String, rows: Int)]? {
        let name = labels.mention(of: user)
        return try await pool.ask { (session) throws(DatabaseError) -> [(table: String, rows: Int)]? in
            let person = try UserRow.pseudonym(of: user, in: session)
            let isNamed = person == nil ? try isNamedOnlyByDeliveries(name, in: session) : true
            guard isNamed else { return nil }
            // No row has the pseudonym 0.
            let pseudonym = Value.uint64(person ?? 0)
            let deliveries = try PersonDeliveries.find(of: person, named: name, withPast: true, in: session)
            var rows = [("users", person == nil ? 0 : 1)]
            if let counts = try session.query(Self.counts, [pseudonym]).first {
                let tables = [
                    "account_tokens", "standings", "standing_answers", "history_walks", "consumption_requests",
                    "refused_claims", "lookups", "notes", "audit_notes",
                ]
                for (place, table) in tables.enumerated() { rows.append((table, try counts.int(place))) }
            }
            let owned = try session.query(Self.countTexts, [pseudonym, pseudonym]).first?.int(0) ?? 0
            let unowned = try SignedTextRow.countUnowned(of: deliveries, in: session)
            rows.append(("signed_texts", owned + unowned))
            rows.append(("inbox_texts", try InboxTextRow.countTried(of: deliveries, in: session)))
            rows.append(
                ("idempotency_keys", try IdempotencyKeyRow.count(about: labels.label(.user, user.text), in: session)))
            return rows.filter { $0.1 > 0 }.map { (table: $0.0, rows: $0.1) }
        }
    }

    /// Removes the texts of all deliveries that name the person. A pending delivery keeps its text until it is tried.
    private func removeDeliveries(
        of pseudonym: UInt64, named name: Label, in session: Session
    ) throws(DatabaseError) {
        let deliveries = try PersonDeliveries.find(of: pseudonym, named: name, withPast: true, in: session)
        try InboxDeliveryRow.lock(deliveries, in: session)
        try InboxTextRow.removeTried(of: deliveries, in: session)
        try SignedTextRow.removeUnowned(of: deliveries, in: session)
    }

    /// Adds an erased person for a user whom only deliveries name, and returns the pseudonym. Nil if no delivery names
    /// the user, or if the user was erased before.
    private func addErased(named name: Label, at now: Instant, in session: Session) throws(DatabaseError) -> UInt64? {
        guard try isNamedOnlyByDeliveries(name, in: session) else { return nil }
        return try UserRow.addErased(at: now, in: session)
    }

    private func isNamedOnlyByDeliveries(_ name: Label, in session: Session) throws(DatabaseError) -> Bool {
        guard try AccountTokenRow.holders(of: [name], in: session).isEmpty else { return false }
        return try !PersonDeliveries.find(of: nil, named: name, withPast: true, in: session).isEmpty
    }
}

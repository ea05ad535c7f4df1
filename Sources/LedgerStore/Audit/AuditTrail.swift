package import MariaDB

/// The audit trail, hash-chained over the whole table (`api.md`, "Audit trail").
///
/// `append` locks the single row of `audit_heads` until the transaction ends. So audited transactions commit one after
/// the other, each with its own flush: some hundreds a second. A batch of the ledger enters all its acts in one
/// transaction, so servers that spend credits for their users can exceed that rate.
///
/// A transaction takes no lock after `append`, so two of them cannot deadlock. On a cluster the second of two fails its
/// certification and is run again, like after a deadlock.
package struct AuditTrail: Sendable {
    private let salt: @Sendable () -> [UInt8]

    /// - Parameter salt: Makes 16 random bytes.
    package init(salt: @escaping @Sendable () -> [UInt8]) {
        self.salt = salt
    }

    /// Enters an act into the trail, in the transaction that carries the act out. This call locks the trail's head. The
    /// transaction must take no lock afterwards, so that two transactions cannot deadlock.
    ///
    /// Throws when the database refuses a statement or is away.
    package func append(_ record: AuditRecord, in session: Session) throws(DatabaseError) {
        let head = try AuditHeadRow.lock(in: session)
        let note = AuditNote(salt: salt(), details: Self.object(record.details), reason: record.reason)
        let link = AuditLink(
            id: head.length + 1, at: max(record.at, head.lastAt), actor: record.actor.text, action: record.action.text,
            subject: record.subject, otherSubject: record.otherSubject, detailsDigest: note.digest,
            previousHash: head.hash)
        try AuditEntryRow.insert(link, in: session)
        try AuditEntryRow.insert(note, of: link.id, in: session)
        try AuditHeadRow.move(to: AuditHead(length: link.id, lastAt: link.at, hash: link.hash), in: session)
    }

    /// The head of the trail, read without a lock. Throws when the database is away.
    package static func head(from pool: Pool) async throws(ServiceFailure) -> AuditHead {
        try await pool.ask { (session) throws(DatabaseError) in try AuditHeadRow.read(in: session) }
    }

    /// The details as a JSON object, sorted by name, so that equal details have the same text.
    private static func object(_ details: [String: String]) -> String {
        var text = "{"
        for (name, value) in details.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            if text.utf8.count > 1 { text += "," }
            text += JSONArray.quoted(name) + ":" + JSONArray.quoted(value)
        }
        return text + "}"
    }
}

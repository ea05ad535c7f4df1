package import MariaDB

/// The audit trail, hash-chained over the whole table (`api.md`, "Audit trail").
///
/// The one row of `audit_heads` is locked from `append` until the act's transaction ends, so audited transactions
/// commit one after the other, each with its own flush: some hundreds a second. A batch of the ledger enters all of its
/// acts in one, so servers that spend credits for their users are not held to that number. A transaction that has
/// appended locks nothing afterwards, so no two can wait for each other; on a cluster the second of two fails its
/// certification and is run again like after a deadlock.
package struct AuditTrail: Sendable {
    private let salt: @Sendable () -> [UInt8]

    /// `salt` makes 16 random bytes.
    package init(salt: @escaping @Sendable () -> [UInt8]) {
        self.salt = salt
    }

    /// Enters an act in the transaction that carries it out, as the transaction's last lock.
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

    /// A page of the trail, newest first. Throws when the database is away.
    package static func page(
        before id: UInt64?, limit: Int, from pool: Pool
    ) async throws(ServiceFailure) -> [AuditEntry] {
        try await pool.ask { (session) throws(DatabaseError) in
            try AuditEntryRow.page(before: id, limit: limit, in: session)
        }
    }

    /// Where the trail stands now. Throws when the database is away.
    package static func head(from pool: Pool) async throws(ServiceFailure) -> AuditHead {
        try await pool.ask { (session) throws(DatabaseError) in try AuditHeadRow.read(in: session) }
    }

    /// The details in the order of their names, so that equal details have one text.
    private static func object(_ details: [String: String]) -> String {
        var text = "{"
        for (name, value) in details.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            if text.utf8.count > 1 { text += "," }
            text += JSONArray.quoted(name) + ":" + JSONArray.quoted(value)
        }
        return text + "}"
    }
}

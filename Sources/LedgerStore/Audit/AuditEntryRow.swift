import Entitlements
import MariaDB

/// A row of `audit_entries`, and its note in `audit_notes`.
enum AuditEntryRow {
    private static let insert = SQLStatement(
        "append audit entry",
        """
        INSERT INTO audit_entries (id, at, actor, action, subject, other_subject, details_digest, previous_hash, hash)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """)

    private static let insertNote = SQLStatement(
        "append audit note", "INSERT INTO audit_notes (entry_id, salt, details, reason) VALUES (?, ?, ?, ?)")

    /// A page of entries with their notes. The last column is true if the note is gone and a later erasure of one of
    /// the entry's people may have taken it.
    private static let chain = SQLStatement(
        "read audit chain",
        """
        SELECT e.id, e.at, e.actor, e.action, e.subject, e.other_subject, e.details_digest, e.previous_hash, e.hash,
            n.salt, n.details, n.reason,
            n.entry_id IS NULL AND EXISTS (
                SELECT 1 FROM audit_entries x FORCE INDEX (by_action)
                WHERE x.action = ? AND x.subject IN (e.subject, e.other_subject) AND x.id > e.id)
        FROM (SELECT id FROM audit_entries WHERE id > ? ORDER BY id LIMIT ?) j
        STRAIGHT_JOIN audit_entries e ON e.id = j.id
        LEFT JOIN audit_notes n ON n.entry_id = e.id
        ORDER BY e.id
        """)

    /// Inserts an entry. Throws a duplicate-key error if the head was not at the last entry.
    static func insert(_ link: AuditLink, in session: Session) throws(DatabaseError) {
        try session.execute(
            insert,
            [
                .uint64(link.id), .int64(link.at.milliseconds), .text(link.actor), .text(link.action),
                Value(link.subject), Value(link.otherSubject), .bytes(link.detailsDigest), .bytes(link.previousHash),
                .bytes(link.hash),
            ])
    }

    /// Inserts the note of an entry.
    static func insert(_ note: AuditNote, of id: UInt64, in session: Session) throws(DatabaseError) {
        try session.execute(
            insertNote, [.uint64(id), .bytes(note.salt), .text(note.details), Value(note.reason)])
    }

    /// A stored entry, with the data that its verification needs.
    struct Stored {
        let link: AuditLink
        let hash: [UInt8]
        /// The note of the entry; nil once erased.
        let note: AuditNote?
        /// True if an erasure may have taken the note.
        let mayBeErased: Bool
    }

    /// Up to `limit` entries with ids above `id`, the oldest first.
    static func chain(after id: UInt64, limit: Int, in session: Session) throws(DatabaseError) -> [Stored] {
        try session.query(chain, [.text(AuditAction.erase.text), .uint64(id), Value(limit)]) {
            (row) throws(DatabaseError) in
            let note = try row.optionalBytes(9).map { (salt) throws(DatabaseError) in
                AuditNote(salt: salt, details: try row.text(10), reason: try row.optionalText(11))
            }
            return Stored(
                link: AuditLink(
                    id: try row.uint64(0), at: Instant(milliseconds: try row.int64(1)), actor: try row.text(2),
                    action: try row.text(3), subject: try row.optionalUInt64(4),
                    otherSubject: try row.optionalUInt64(5), detailsDigest: try row.bytes(6),
                    previousHash: try row.bytes(7)),
                hash: try row.bytes(8), note: note, mayBeErased: try row.bool(12))
        }
    }
}

/// The single row of `audit_heads`: the length and the last hash of the audit trail.
enum AuditHeadRow {
    /// Inserts the row if there is none, and locks it until the transaction ends.
    private static let lockOne = SQLStatement(
        "lock audit head",
        """
        INSERT INTO audit_heads (id, length, last_at, hash) VALUES (1, 0, 0, '')
        ON DUPLICATE KEY UPDATE id = id
        RETURNING length, last_at, hash
        """)

    private static let readOne = SQLStatement(
        "read audit head", "SELECT length, last_at, hash FROM audit_heads WHERE id = 1")

    private static let moveOne = SQLStatement(
        "move audit head", "UPDATE audit_heads SET length = ?, last_at = ?, hash = ? WHERE id = 1")

    /// Locks the head until the transaction ends, and returns it.
    static func lock(in session: Session) throws(DatabaseError) -> AuditHead {
        guard let row = try session.query(lockOne).first else {
            throw DatabaseError(.unexpectedCell(column: 0), statement: lockOne.name)
        }
        return try decode(row)
    }

    /// Reads the head without a lock.
    static func read(in session: Session) throws(DatabaseError) -> AuditHead {
        guard let row = try session.query(readOne).first else { return .empty }
        return try decode(row)
    }

    /// Writes the new head of the trail.
    static func move(to head: AuditHead, in session: Session) throws(DatabaseError) {
        try session.execute(
            moveOne, [.uint64(head.length), .int64(head.lastAt.milliseconds), .bytes(head.hash)])
    }

    private static func decode(_ row: Row) throws(DatabaseError) -> AuditHead {
        AuditHead(
            length: try row.uint64(0), lastAt: Instant(milliseconds: try row.int64(1)), hash: try row.bytes(2))
    }
}

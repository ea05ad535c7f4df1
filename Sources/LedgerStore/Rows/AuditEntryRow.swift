import Entitlements
import MariaDB

/// A row of `audit_entries`, and its words in `audit_notes`.
enum AuditEntryRow {
    private static let insert = Statement(
        "append audit entry",
        """
        INSERT INTO audit_entries (id, at, actor, action, subject, details_digest, previous_hash, hash)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        """)

    private static let insertNote = Statement(
        "append audit note", "INSERT INTO audit_notes (entry_id, salt, details, reason) VALUES (?, ?, ?, ?)")

    private static let eraseNotes = Statement(
        "erase audit notes",
        "DELETE n FROM audit_notes n JOIN audit_entries e ON e.id = n.entry_id WHERE e.subject = ?")

    /// Transfers from, and merges into, somebody else that still have words.
    private static let naming = Statement(
        "find audit notes naming",
        """
        SELECT e.id FROM audit_entries e FORCE INDEX (by_action) JOIN audit_notes n ON n.entry_id = e.id
        WHERE e.action IN (?, ?) AND JSON_VALUE(n.details, '$.\(AuditedAct.otherPerson)') = ? ORDER BY e.id
        """)

    private static let eraseNote = Statement("erase audit note", "DELETE FROM audit_notes WHERE entry_id = ?")

    private static let page = Statement(
        "list audit entries",
        """
        SELECT e.id, e.at, e.actor, e.action, e.subject, u.user_id, n.details, n.reason, e.hash
        FROM (SELECT id FROM audit_entries WHERE id < ? ORDER BY id DESC LIMIT ?) j
        STRAIGHT_JOIN audit_entries e ON e.id = j.id
        LEFT JOIN audit_notes n ON n.entry_id = e.id
        LEFT JOIN users u ON u.pseudonym = e.subject
        ORDER BY e.id DESC
        """)

    /// The member of an erasure's details that has the numbers of the acts on others whose words it took.
    static let takenActs = "acts"

    /// Words may be gone where a later erasure took them: that of the subject, or one that names the entry.
    private static let chain = Statement(
        "read audit chain",
        """
        SELECT e.id, e.at, e.actor, e.action, e.subject, e.details_digest, e.previous_hash, e.hash,
            n.salt, n.details, n.reason,
            n.entry_id IS NULL AND (
                EXISTS (SELECT 1 FROM audit_entries x FORCE INDEX (by_action)
                    WHERE x.action = ? AND x.subject = e.subject AND x.id > e.id)
                OR e.action IN (?, ?) AND EXISTS (
                    SELECT 1 FROM audit_entries x FORCE INDEX (by_action) STRAIGHT_JOIN audit_notes t ON t.entry_id = x.id
                    WHERE x.action = ? AND x.id > e.id AND JSON_CONTAINS(
                        JSON_VALUE(t.details, '$.\(takenActs)'), JSON_QUOTE(CAST(e.id AS CHAR)))))
        FROM (SELECT id FROM audit_entries WHERE id > ? ORDER BY id LIMIT ?) j
        STRAIGHT_JOIN audit_entries e ON e.id = j.id
        LEFT JOIN audit_notes n ON n.entry_id = e.id
        ORDER BY e.id
        """)

    /// Appends an entry; a duplicate-key error when the head did not stand where the entries end.
    static func insert(_ link: AuditLink, in session: Session) throws(DatabaseError) {
        try session.execute(
            insert,
            [
                .uint64(link.id), .int64(link.at.milliseconds), .text(link.actor), .text(link.action),
                Value(link.subject), .bytes(link.detailsDigest), .bytes(link.previousHash), .bytes(link.hash),
            ])
    }

    /// Appends the words of an entry.
    static func insert(_ note: AuditNote, of id: UInt64, in session: Session) throws(DatabaseError) {
        try session.execute(
            insertNote, [.uint64(id), .bytes(note.salt), .text(note.details), Value(note.reason)])
    }

    /// Removes the words of acts on a person, and of transfers and merges between them and somebody else; returns the numbers of
    /// those on somebody else.
    static func eraseNotes(about person: UInt64, in session: Session) throws(DatabaseError) -> [UInt64] {
        try session.execute(eraseNotes, [.uint64(person)])
        let others = try session.query(
            naming, [.text(AuditAction.transfer.text), .text(AuditAction.merge.text), .text(String(person))]
        ) { (row) throws(DatabaseError) in try row.uint64(0) }
        try session.executeBulk(eraseNote, others.map { [.uint64($0)] })
        return others
    }

    /// Those before `id`, newest first.
    static func page(before id: UInt64?, limit: Int, in session: Session) throws(DatabaseError) -> [AuditEntry] {
        try session.query(page, [.uint64(id ?? .max), Value(limit)]) { (row) throws(DatabaseError) in
            AuditEntry(
                id: try row.uint64(0), at: Instant(milliseconds: try row.int64(1)), actor: try row.text(2),
                action: try row.text(3), subject: try row.optionalUInt64(4),
                user: try row.optionalText(5).flatMap { UserID($0) }, details: try row.optionalText(6),
                reason: try row.optionalText(7), hash: try row.bytes(8))
        }
    }

    /// An entry as it is kept, for those who verify.
    struct Kept {
        let link: AuditLink
        let hash: [UInt8]
        /// Nil once erased.
        let note: AuditNote?
        /// Whether an erasure may have taken the note.
        let mayBeErased: Bool
    }

    /// Those after `id`, oldest first.
    static func chain(after id: UInt64, limit: Int, in session: Session) throws(DatabaseError) -> [Kept] {
        let actions = [AuditAction.erase, .transfer, .merge, .erase].map { Value.text($0.text) }
        return try session.query(chain, actions + [.uint64(id), Value(limit)]) {
            (row) throws(DatabaseError) in
            let note = try row.optionalBytes(8).map { (salt) throws(DatabaseError) in
                AuditNote(salt: salt, details: try row.text(9), reason: try row.optionalText(10))
            }
            return Kept(
                link: AuditLink(
                    id: try row.uint64(0), at: Instant(milliseconds: try row.int64(1)), actor: try row.text(2),
                    action: try row.text(3), subject: try row.optionalUInt64(4), detailsDigest: try row.bytes(5),
                    previousHash: try row.bytes(6)),
                hash: try row.bytes(7), note: note, mayBeErased: try row.bool(11))
        }
    }
}

/// The one row of `audit_heads`.
enum AuditHeadRow {
    /// Makes the row where there is none, and holds its lock until the transaction ends.
    private static let lockOne = Statement(
        "lock audit head",
        """
        INSERT INTO audit_heads (id, length, last_at, hash) VALUES (1, 0, 0, '')
        ON DUPLICATE KEY UPDATE id = id
        RETURNING length, last_at, hash
        """)

    private static let readOne = Statement(
        "read audit head", "SELECT length, last_at, hash FROM audit_heads WHERE id = 1")

    private static let moveOne = Statement(
        "move audit head", "UPDATE audit_heads SET length = ?, last_at = ?, hash = ? WHERE id = 1")

    /// The head, which nobody else moves until the transaction ends.
    static func lock(in session: Session) throws(DatabaseError) -> AuditHead {
        guard let row = try session.query(lockOne).first else {
            throw DatabaseError(.unexpectedCell(column: 0), statement: lockOne.name)
        }
        return try decode(row)
    }

    /// The head, without a lock.
    static func read(in session: Session) throws(DatabaseError) -> AuditHead {
        guard let row = try session.query(readOne).first else { return .empty }
        return try decode(row)
    }

    /// Writes where the trail stands now.
    static func move(to head: AuditHead, in session: Session) throws(DatabaseError) {
        try session.execute(
            moveOne, [.uint64(head.length), .int64(head.lastAt.milliseconds), .bytes(head.hash)])
    }

    private static func decode(_ row: Row) throws(DatabaseError) -> AuditHead {
        AuditHead(
            length: try row.uint64(0), lastAt: Instant(milliseconds: try row.int64(1)), hash: try row.bytes(2))
    }
}

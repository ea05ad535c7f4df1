import Entitlements
import MariaDB

/// A ledger entry as the integrity check reads it: the content that its hash covers, and the comparison with the rows
/// to which it refers.
struct ChainedEntry {
    /// An SQL condition: true if the person `u` is erased and an entry of `u` has the same note as the entry `l`. Then
    /// the note may be gone.
    private static let mayWordsBeGone = """
        u.user_id IS NULL AND EXISTS (
            SELECT 1 FROM ledger_entries c WHERE c.user_id = u.pseudonym AND c.note_digest = l.note_digest)
        """

    private static let columns = """
        l.user_id, l.seq, l.recorded_at, l.effective_at, l.kind, l.is_own_act, l.purchase_id, l.state_id, l.content,
        l.note_digest, l.hash, p.source, p.app, p.environment, p.external_id, t.statement, n.salt, n.content,
        l.note_digest IS NOT NULL AND n.digest IS NULL AND (
            EXISTS (SELECT 1 FROM users u WHERE u.pseudonym = p.user_id AND \(mayWordsBeGone))
            OR EXISTS (SELECT 1 FROM purchase_holders h STRAIGHT_JOIN users u ON u.pseudonym = h.user_id
                WHERE h.purchase_id = p.id AND \(mayWordsBeGone)))
        """

    /// Reads entries, each with the row of its owner in `users` as of the same instant.
    private static let page = SQLStatement(
        "read page of chains",
        """
        SELECT \(columns), w.pseudonym, w.ledger_length, w.last_recorded_at, w.head_hash, w.user_id
        FROM (
            SELECT user_id, seq FROM ledger_entries
            WHERE (user_id = ? AND seq > ? OR user_id > ?) AND user_id <= ? ORDER BY user_id, seq LIMIT ?) j
        STRAIGHT_JOIN ledger_entries l ON l.user_id = j.user_id AND l.seq = j.seq
        LEFT JOIN users w ON w.pseudonym = l.user_id
        LEFT JOIN purchases p ON p.id = l.purchase_id
        LEFT JOIN apple_iap_transactions t ON t.id = l.state_id
        LEFT JOIN notes n ON n.digest = l.note_digest
        ORDER BY l.user_id, l.seq
        """)

    /// The number of columns of an entry; the columns of the owner follow.
    private static let width = 19

    let hashed: EntryHash
    let hash: [UInt8]
    /// True if the row of the entry's purchase has the identity that the entry states, or if the entry has no purchase.
    let isPurchaseWhole: Bool
    /// True if the row of the signed state has the same statement as the entry, or if the entry has no signed state.
    let isStateWhole: Bool
    /// True if the note matches its digest, or if the entry has no note; nil if the note is gone.
    private let isNoteWhole: Bool?
    private let mayNoteBeErased: Bool

    /// True if the note matches its digest, or is gone and may have been erased. `erased` is true if the ledger's owner
    /// is erased; a note may also be about a second person, who is erased.
    func isNoteWhole(erased: Bool) -> Bool { isNoteWhole ?? (erased || mayNoteBeErased) }

    /// The last entry that was read; ledgers are read in the order of their pseudonyms.
    struct Place {
        var pseudonym: UInt64
        var sequence = -1
    }

    /// Up to `limit` entries after `place`, of people with pseudonyms up to `last`. Each comes with its owner; nil if
    /// nobody has the pseudonym.
    static func page(
        after place: Place, through last: UInt64, limit: Int, in session: Session
    ) throws(DatabaseError) -> [(entry: ChainedEntry, person: LedgerOwner?)] {
        try session.query(
            page,
            [.uint64(place.pseudonym), Value(place.sequence), .uint64(place.pseudonym), .uint64(last), Value(limit)]
        ) { (row) throws(DatabaseError) in
            let entry = try ChainedEntry(row)
            guard try !row.isNull(Self.width) else { return (entry, nil) }
            return (entry, try LedgerOwner(row, from: Self.width))
        }
    }

    private init(_ row: Row) throws(DatabaseError) {
        let content = try row.text(8)
        let digest = try row.optionalBytes(9).map { NoteDigest(bytes: $0) }
        hashed = EntryHash(
            pseudonym: try row.uint64(0), sequence: try row.int(1),
            recordedAt: Instant(milliseconds: try row.int64(2)), effectiveAt: Instant(milliseconds: try row.int64(3)),
            kind: try row.text(4), isOwnAct: try row.bool(5), purchase: try row.optionalUInt64(6),
            state: try row.optionalUInt64(7), content: content, note: digest?.bytes)
        hash = try row.bytes(10)
        let (key, statement) = (try PurchaseRow.key(row, from: 11), try row.optionalText(15))
        isPurchaseWhole = hashed.purchase == nil || Self.key(in: content) == key
        isStateWhole = hashed.state == nil || statement == content
        if let digest {
            let (salt, words) = (try row.optionalBytes(16), try row.optionalText(17))
            isNoteWhole = salt.flatMap { salt in words.map { NoteRow.digest(of: $0, salt: salt) == digest } }
        } else {
            isNoteWhole = true
        }
        mayNoteBeErased = try row.bool(18)
    }

    /// The purchase key with which the content of a fact begins; nil if the content begins with no key.
    private static func key(in content: String) -> PurchaseKey? {
        guard case .list(let fields)? = JSONField(json: content) else { return nil }
        return KeyContent.read(fields, at: 0)
    }
}

import Entitlements
import MariaDB

/// A ledger entry as the integrity check reads it: all that its hash covers, and the rows to which it refers.
struct ChainedEntry {
    /// True if the words of `l` may be gone because `u` is erased: an entry of theirs refers to the same words.
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

    /// Each entry, and as of the same instant its owner and where the owner's ledger ends.
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

    /// How many columns an entry has.
    private static let width = 19

    let hashed: EntryHash
    let hash: [UInt8]
    /// True if the row of the entry's purchase has the identity that the entry says.
    let isPurchaseWhole: Bool
    /// True if the row of the signed state that the entry repeats says the same.
    let isStateWhole: Bool
    /// True if the note of the entry is the one that its digest covers; nil when the note is gone.
    private let isNoteWhole: Bool?
    private let mayNoteBeErased: Bool

    /// Words may be gone only when the person is erased, or a second person whom the words were about.
    func isNoteWhole(erased: Bool) -> Bool { isNoteWhole ?? (erased || mayNoteBeErased) }

    /// How far the ledgers have been read, one after the other.
    struct Place {
        var pseudonym: UInt64
        var sequence = -1
    }

    /// Up to `limit` entries behind `place`, of people up to the one under `last`; with whose they are, nil for
    /// nobody's.
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

    /// The purchase that a fact about one begins with.
    private static func key(in content: String) -> PurchaseKey? {
        guard case .list(let fields)? = JSONField(json: content) else { return nil }
        return KeyContent.read(fields, at: 0)
    }
}

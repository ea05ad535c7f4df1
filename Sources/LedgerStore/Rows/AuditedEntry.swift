import Entitlements
import MariaDB

/// An entry with all that its hash covers, as the rows have it, whatever its kind.
struct AuditedEntry {
    private static let columns = """
        l.user_id, l.seq, l.recorded_at, l.effective_at, l.kind, l.hash, l.content, l.note, l.note_salt,
        l.note_hash, p.source, p.app, p.environment, p.external_id, t.content_hash,
        EXISTS (SELECT 1 FROM users u WHERE u.pseudonym = p.user_id AND u.user_id IS NULL)
        OR EXISTS (SELECT 1 FROM purchase_holders h STRAIGHT_JOIN users u ON u.pseudonym = h.user_id
            WHERE h.purchase_id = p.id AND u.user_id IS NULL), l.state_id, \(StateRow.columns),
        EXISTS (SELECT 1 FROM users u WHERE u.pseudonym = p.user_id AND u.user_id IS NULL)
        OR EXISTS (SELECT 1 FROM purchase_holders h STRAIGHT_JOIN users u ON u.pseudonym = h.user_id
            STRAIGHT_JOIN ledger_entries e ON e.user_id = h.user_id
            WHERE h.purchase_id = p.id AND u.user_id IS NULL AND e.purchase_id = p.id
                AND e.kind = '\(FactKind.gaveAway.rawValue)' AND e.effective_at >= l.effective_at),
        p.known_as, l.purchase_id
        """

    private static let rows = """
        LEFT JOIN purchases p ON p.id = l.purchase_id
        LEFT JOIN apple_iap_transactions t ON t.id = l.state_id
        """

    private static let byPseudonym = Statement(
        "read chains",
        """
        SELECT \(columns)
        FROM JSON_TABLE(?, '$[*]' COLUMNS (pseudonym BIGINT UNSIGNED PATH '$')) j
        STRAIGHT_JOIN ledger_entries l ON l.user_id = j.pseudonym
        \(rows)
        ORDER BY l.user_id, l.seq
        """)

    /// With each entry whose it is and where their ledger ends: both as of one instant.
    private static let page = Statement(
        "read page of chains",
        """
        SELECT \(columns), w.pseudonym, w.ledger_length, w.last_recorded_at, w.head_hash, w.user_id
        FROM (
            SELECT user_id, seq FROM ledger_entries
            WHERE (user_id = ? AND seq > ? OR user_id > ?) AND user_id <= ? ORDER BY user_id, seq LIMIT ?) n
        STRAIGHT_JOIN ledger_entries l ON l.user_id = n.user_id AND l.seq = n.seq
        LEFT JOIN users w ON w.pseudonym = l.user_id
        \(rows)
        ORDER BY l.user_id, l.seq
        """)

    let hashed: EntryHash
    let hash: [UInt8]
    /// The row of the purchase that it is about.
    let purchase: UInt64?
    /// The row of the state that it refers to.
    let state: UInt64?
    /// Whether the state that the entry refers to is there and says what its digest says. One of which an erased person's
    /// names were taken out speaks by its digest alone.
    let isStateWhole: Bool
    private let note: String?
    private let salt: [UInt8]?
    /// Whether an erased person has the purchase that the entry is about, or gave it away then or later.
    private let mayNameErased: Bool

    /// A note may be gone only when the person is, or somebody who had the purchase when it was made.
    func isNoteWhole(erased: Bool) -> Bool {
        guard let note else { return hashed.noteHash == nil || erased || mayNameErased }
        return salt.map { NoteText.digest(of: note, salt: $0) } == hashed.noteHash
    }

    /// Whether the entry is what it was when it was recorded, behind one whose hash is `previous`.
    func isWhole(after previous: [UInt8], erased: Bool) -> Bool {
        hashed.bytes(after: previous) == hash && isStateWhole && isNoteWhole(erased: erased)
    }

    /// The entries by pseudonym, each in its order.
    static func load(of pseudonyms: [UInt64], in session: Session) throws(DatabaseError) -> [UInt64: [AuditedEntry]] {
        guard !pseudonyms.isEmpty else { return [:] }
        var array = JSONArray()
        pseudonyms.forEach { array.append($0) }
        var entries: [UInt64: [AuditedEntry]] = [:]
        for row in try session.query(byPseudonym, [.text(array.closed)]) {
            entries[try row.uint64(0), default: []].append(try AuditedEntry(row))
        }
        return entries
    }

    /// Where reading ledgers one after the other has come to.
    struct Place {
        var pseudonym: UInt64
        var sequence = -1
    }

    /// Up to `limit` entries behind `place`, of people up to the one under `last`; with whose they are, nil for nobody's.
    static func page(
        after place: Place, through last: UInt64, limit: Int, in session: Session
    ) throws(DatabaseError) -> [(entry: AuditedEntry, person: AuditedPerson?)] {
        try session.query(
            page,
            [.uint64(place.pseudonym), Value(place.sequence), .uint64(place.pseudonym), .uint64(last), Value(limit)]
        ) { (row) throws(DatabaseError) in
            let entry = try AuditedEntry(row)
            guard try !row.isNull(Self.width) else { return (entry, nil) }
            return (entry, try AuditedPerson(row, from: Self.width))
        }
    }

    /// How many columns an entry has.
    private static let width = 20 + StateRow.width

    private init(_ row: Row) throws(DatabaseError) {
        let key = try PurchaseRow.key(row, from: 10)
        let contentHash = try row.optionalBytes(14)
        var state: VerifiedPurchase?
        if let key, contentHash != nil {
            let name = try row.optionalText(18 + StateRow.width).map { ExternalID($0) }
            state = try StateRow.decode(row, from: 17, key: name.map { key.numbered($0) } ?? key)
        }
        hashed = EntryHash(
            pseudonym: try row.uint64(0), sequence: try row.int(1),
            recordedAt: Instant(milliseconds: try row.int64(2)), effectiveAt: Instant(milliseconds: try row.int64(3)),
            kind: try row.text(4), state: state.flatMap { state in contentHash.map { ($0, state.signedAt) } }, key: key,
            content: try row.optionalText(6), noteHash: try row.optionalBytes(9))
        hash = try row.bytes(5)
        purchase = try row.optionalUInt64(19 + StateRow.width)
        self.state = try row.optionalUInt64(16)
        note = try row.optionalText(7)
        salt = try row.optionalBytes(8)
        // That somebody was bound stands in their own ledger alone.
        let isBound = try row.text(4) == FactKind.bound.rawValue
        mayNameErased = try row.bool(17 + StateRow.width) && !isBound
        let isBuried = try row.bool(15) && state?.accountToken == nil
        isStateWhole =
            self.state == nil || state.map { ContentDigest.bytes(of: $0) == contentHash || isBuried } ?? false
    }
}

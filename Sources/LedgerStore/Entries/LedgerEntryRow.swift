import Entitlements
import MariaDB

/// A row of `ledger_entries`: one fact in the ledger of one person.
enum LedgerEntryRow {
    private static let columns = """
        l.user_id, l.seq, l.recorded_at, l.effective_at, l.kind, l.is_own_act, l.purchase_id, l.content,
        l.note_digest, l.hash
        """

    /// Reads ledgers, each from a given entry on, including that entry. The rows are sorted after that: the database
    /// sorts a join in a table of its own, which stands on disk if it has a column like `content`.
    private static let byPlace = SQLStatement(
        "read ledgers",
        """
        SELECT \(columns)
        FROM JSON_TABLE(?, '$[*]' COLUMNS (
            pseudonym BIGINT UNSIGNED PATH '$[0]', after BIGINT UNSIGNED PATH '$[1]')) j
        STRAIGHT_JOIN ledger_entries l ON l.user_id = j.pseudonym AND l.seq >= j.after
        """)

    /// Reads a part of one ledger. It reads a range of the primary key, where a join would go through the whole ledger.
    private static let slice = SQLStatement(
        "read slice of ledger",
        "SELECT \(columns) FROM ledger_entries l WHERE l.user_id = ? AND l.seq BETWEEN ? AND ? ORDER BY l.seq")

    private static let insert = SQLStatement(
        "append entry",
        """
        INSERT INTO ledger_entries
            (user_id, seq, recorded_at, effective_at, kind, is_own_act, purchase_id, state_id, content, note_digest,
             hash)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """)

    /// Waits for a commit that may be under way, and finds its entry. Written by: nothing, because whoever finds the
    /// entry writes nothing, and whoever misses it decides again.
    private static let exists = SQLStatement(
        "find entry", "SELECT 1 FROM ledger_entries WHERE user_id = ? AND seq = ? AND hash = ? LOCK IN SHARE MODE")

    /// The place after which a ledger is read: the pseudonym, and the number of the entry; 0 for the start.
    struct Place {
        let pseudonym: UInt64
        let after: Int
    }

    /// A ledger, or the part of a ledger after a place, as read from its rows.
    struct Loaded {
        /// The hash of the entry before this part; nil if the part begins at the start.
        fileprivate(set) var joint: [UInt8]?
        /// The number and the hash of the newest entry, including entries that this program cannot read.
        fileprivate(set) var length = 0
        fileprivate(set) var head: [UInt8] = []
        fileprivate(set) var entries: [LedgerEntry] = []
        /// The ids of the rows of the purchases that the entries are about.
        fileprivate(set) var purchases: [PurchaseKey: UInt64] = [:]
    }

    /// The parts of ledgers after `places`, by pseudonym, each in the order of its entries.
    static func load(from places: [Place], in session: Session) throws(DatabaseError) -> [UInt64: Loaded] {
        guard !places.isEmpty else { return [:] }
        var array = JSONArray()
        places.forEach { array.append([$0.pseudonym, UInt64($0.after)]) }
        let after = Dictionary(places.map { ($0.pseudonym, $0.after) }, uniquingKeysWith: min)
        let rows = try session.query(byPlace, [.text(array.closed)]) { (row) throws(DatabaseError) in
            (pseudonym: try row.uint64(0), sequence: try row.int(1), row: row)
        }
        var ledgers: [UInt64: Loaded] = [:]
        for (pseudonym, rows) in Dictionary(grouping: rows, by: \.pseudonym) {
            let ordered = rows.sorted { $0.sequence < $1.sequence }.map(\.row)
            ledgers[pseudonym] = try Loaded(ordered, after: after[pseudonym] ?? 0)
        }
        return ledgers
    }

    /// The whole ledgers under `pseudonyms`, without those that cannot be read. Throws when the database is away.
    static func loadReadable(_ pseudonyms: [UInt64], in session: Session) throws(DatabaseError) -> [UInt64: Loaded] {
        do {
            return try load(from: pseudonyms.map { Place(pseudonym: $0, after: 0) }, in: session)
        } catch {
            guard case .unexpectedCell = error.cause else { throw error }
            guard pseudonyms.count > 1 else { return [:] }
            var ledgers: [UInt64: Loaded] = [:]
            for pseudonym in pseudonyms { ledgers.merge(try loadReadable([pseudonym], in: session)) { $1 } }
            return ledgers
        }
    }

    /// The number of entries of a heavy ledger that one statement reads.
    private static let sliceLength = 4_096

    /// The entries of one ledger after `place`, up to the number `length`. They are read in several statements, so that
    /// not all rows are in memory at once.
    static func loadInSlices(
        to length: Int, from place: Place, in session: Session
    ) throws(DatabaseError) -> Loaded {
        var loaded = Loaded()
        for after in stride(from: place.after, to: max(length, place.after + 1), by: sliceLength) {
            let last = min(after + sliceLength, length)
            let rows = try session.query(slice, [.uint64(place.pseudonym), Value(after), Value(last)])
            loaded.append(try Loaded(rows, after: after), isFirst: after == place.after)
        }
        return loaded
    }

    /// The entry in a row; nil for a kind that only a newer version of this program knows.
    fileprivate static func decode(_ row: Row) throws(DatabaseError) -> LedgerEntry? {
        guard let kind = FactKind(rawValue: try row.text(4)) else { return nil }
        guard case .list(let fields)? = JSONField(json: try row.text(7)), let fact = FactContent.read(fields, of: kind)
        else { throw row.malformed(7) }
        return LedgerEntry(
            effectiveAt: Instant(milliseconds: try row.int64(3)), recordedAt: Instant(milliseconds: try row.int64(2)),
            fact: fact, isOwnAct: try row.bool(5), note: try row.optionalBytes(8).map { NoteDigest(bytes: $0) })
    }

    /// An entry to append, with its place in the ledger and the rows that it refers to.
    struct New {
        let hashed: EntryHash

        /// - Parameter content: The encoded fact of the entry.
        init(
            _ entry: LedgerEntry, saying content: String, pseudonym: UInt64, sequence: Int, purchase: UInt64?,
            state: UInt64?
        ) {
            hashed = EntryHash(
                pseudonym: pseudonym, sequence: sequence, recordedAt: entry.recordedAt, effectiveAt: entry.effectiveAt,
                kind: FactKind(of: entry.fact).rawValue, isOwnAct: entry.isOwnAct, purchase: purchase, state: state,
                content: content, note: entry.note?.bytes)
        }
    }

    /// Inserts entries with their hashes. Throws a duplicate-key error if a ledger already has an entry with one of the
    /// numbers.
    static func append(_ entries: [(new: New, hash: [UInt8])], in session: Session) throws(DatabaseError) {
        try session.executeBulk(
            insert,
            entries.map { new, hash in
                let entry = new.hashed
                return [
                    .uint64(entry.pseudonym), Value(entry.sequence), .int64(entry.recordedAt.milliseconds),
                    .int64(entry.effectiveAt.milliseconds), .text(entry.kind), Value(entry.isOwnAct),
                    Value(entry.purchase), Value(entry.state), .text(entry.content), Value(entry.note), .bytes(hash),
                ]
            })
    }

    /// True if the ledger has the entry that `head` names. Waits for a transaction that has written this entry and has
    /// not ended.
    static func holds(_ head: UserRow.Head, in session: Session) throws(DatabaseError) -> Bool {
        try !session.query(exists, [.uint64(head.pseudonym), Value(head.length), .bytes(head.hash)]).isEmpty
    }
}

extension LedgerEntryRow.Loaded {
    /// Reads the rows of one ledger. The first row is the entry number `after`, unless that is 0. Throws for a row that
    /// this program never writes.
    fileprivate init(_ rows: [Row], after: Int) throws(DatabaseError) {
        entries.reserveCapacity(rows.count)
        for row in rows {
            (length, head) = (try row.int(1), try row.bytes(9))
            guard length > after else {
                joint = head
                continue
            }
            guard let entry = try LedgerEntryRow.decode(row) else { continue }
            entries.append(entry)
            if let key = entry.fact.purchase { purchases[key] = try row.uint64(6) }
        }
    }

    /// Appends the next part of the same ledger.
    fileprivate mutating func append(_ next: Self, isFirst: Bool) {
        if isFirst { joint = next.joint }
        (length, head) = (next.length, next.head)
        entries += next.entries
        purchases.merge(next.purchases) { $1 }
    }
}

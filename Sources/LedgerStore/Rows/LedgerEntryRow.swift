import Entitlements
import MariaDB

/// A row of `ledger_entries`: one fact of one person.
enum LedgerEntryRow {
    /// The columns that make an entry.
    private static let columns = """
        l.recorded_at, l.effective_at, l.kind, l.content, l.note, \(PurchaseRow.columns), l.state_id, \(StateRow.columns)
        """

    private static let read = """
        SELECT l.user_id, l.seq, l.purchase_id, l.hash, IF(p.external_id LIKE 'hmac:%', p.external_id, NULL), p.place,
            \(columns)
        """

    private static let joins = """
        LEFT JOIN purchases p ON p.id = l.purchase_id
        LEFT JOIN apple_iap_transactions t ON t.id = l.state_id
        """

    /// From the entry behind which somebody's ledger is to be read on, that one included.
    private static let byPlace = Statement(
        "read ledgers",
        """
        \(read)
        FROM JSON_TABLE(?, '$[*]' COLUMNS (
            pseudonym BIGINT UNSIGNED PATH '$[0]', after BIGINT UNSIGNED PATH '$[1]')) j
        STRAIGHT_JOIN ledger_entries l ON l.user_id = j.pseudonym AND l.seq >= j.after
        \(joins)
        ORDER BY l.user_id, l.seq
        """)

    /// The same of one person, up to an entry: a range of the primary key, where a join goes through the whole ledger.
    private static let slice = Statement(
        "read slice of ledger",
        """
        \(read)
        FROM ledger_entries l
        \(joins)
        WHERE l.user_id = ? AND l.seq BETWEEN ? AND ?
        ORDER BY l.seq
        """)

    private static let insert = Statement(
        "append entry",
        """
        INSERT INTO ledger_entries
            (user_id, seq, recorded_at, effective_at, kind, purchase_id, state_id, hash, content, note, note_salt, note_hash)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """)

    private static let exists = Statement(
        "find entry", "SELECT 1 FROM ledger_entries WHERE user_id = ? AND seq = ? AND hash = ? LOCK IN SHARE MODE")

    /// Behind which entry of whose ledger to read; 0 is the start.
    struct Place {
        let pseudonym: UInt64
        let after: Int
    }

    /// A ledger, or the rest of one, as its rows hold it.
    struct Loaded {
        /// The hash of the entry behind which it begins; nil at the start.
        fileprivate(set) var joint: [UInt8]?
        /// The place and the hash of the newest entry, whether or not this program can read it.
        fileprivate(set) var length = 0
        fileprivate(set) var head: [UInt8] = []
        fileprivate(set) var entries: [LedgerEntry] = []
        /// The rows of the purchases that the entries are about.
        fileprivate(set) var purchases: [PurchaseKey: UInt64] = [:]
        /// What stands in the rows for those of them that are buried.
        fileprivate(set) var tombstones: [PurchaseKey: PurchaseKey] = [:]
    }

    /// The ledgers behind `places` by pseudonym, each in its order.
    static func load(from places: [Place], in session: Session) throws(DatabaseError) -> [UInt64: Loaded] {
        guard !places.isEmpty else { return [:] }
        var array = JSONArray()
        places.forEach { array.append([$0.pseudonym, UInt64($0.after)]) }
        let after = Dictionary(places.map { ($0.pseudonym, $0.after) }, uniquingKeysWith: min)
        let rows = try session.query(byPlace, [.text(array.closed)])
        var ledgers: [UInt64: Loaded] = [:]
        var start = rows.startIndex
        while start < rows.endIndex {
            let pseudonym = try rows[start].uint64(0)
            var end = start
            while end < rows.endIndex, try rows[end].uint64(0) == pseudonym { end += 1 }
            ledgers[pseudonym] = try Loaded(rows[start..<end], after: after[pseudonym] ?? 0)
            start = end
        }
        return ledgers.mapValues(\.renamed)
    }

    /// How many entries of a heavy ledger one statement reads.
    private static let sliceLength = 4_096

    /// The entries of one ledger behind `place` up to `length`, some at a time, so that the rows of all never stand in memory at
    /// once.
    static func loadInSlices(
        to length: Int, from place: Place, in session: Session
    ) throws(DatabaseError) -> Loaded {
        var loaded = Loaded()
        for after in stride(from: place.after, to: max(length, place.after + 1), by: sliceLength) {
            let last = min(after + sliceLength, length)
            let rows = try session.query(slice, [.uint64(place.pseudonym), Value(after), Value(last)])
            loaded.append(try Loaded(rows[...], after: after), isFirst: after == place.after)
        }
        return loaded.renamed
    }

    /// The entry in the columns from `first` on, before which the place of its purchase stands; nil for a kind that a newer version writes, and for what was erased.
    fileprivate static func decode(_ row: Row, from first: Int) throws(DatabaseError) -> LedgerEntry? {
        guard let kind = FactKind(rawValue: try row.text(first + 2)) else { return nil }
        let place = try row.optionalText(first - 1).map { ExternalID($0) }
        let key = try PurchaseRow.key(row, from: first + 5, place: place)
        var state: VerifiedPurchase?
        if let key, try !row.isNull(first + 9) { state = try StateRow.decode(row, from: first + 10, key: key) }
        let note = try row.optionalText(first + 4).flatMap { NoteText(json: $0) }
        let content = try row.optionalText(first + 3)
        let fields = content.map { JSONField(json: $0) } ?? .list([])
        guard case .list(let fields)? = fields else { throw row.malformed(first + 3) }
        switch FactContent.read(fields, in: .init(kind: kind, key: key, state: state, note: note)) {
        case .malformed: throw row.malformed(first + 3)
        case .erased: return nil
        case .fact(let fact):
            return LedgerEntry(
                effectiveAt: Instant(milliseconds: try row.int64(first + 1)),
                recordedAt: Instant(milliseconds: try row.int64(first)), fact: fact, note: note?.note)
        }
    }

    /// An entry to append: whose, where in the ledger, and the rows it refers to.
    struct New {
        let pseudonym: UInt64
        let sequence: Int
        let entry: LedgerEntry
        let purchase: UInt64?
        let state: (id: UInt64, contentHash: [UInt8])?
        let content: String?
        let note: (json: String, salt: [UInt8], hash: [UInt8])?

        init(
            _ entry: LedgerEntry, pseudonym: UInt64, sequence: Int, purchase: UInt64?,
            state: (id: UInt64, contentHash: [UInt8])?, salt: () -> [UInt8]
        ) {
            self.pseudonym = pseudonym
            self.sequence = sequence
            self.entry = entry
            self.purchase = purchase
            self.state = state
            content = FactContent.of(entry.fact)?.json
            note = NoteText(of: entry).map { note in
                let (json, salt) = (note.json, salt())
                return (json, salt, NoteText.digest(of: json, salt: salt))
            }
        }

        func hash(after previous: [UInt8]) -> [UInt8] {
            EntryHash(
                pseudonym: pseudonym, sequence: sequence, recordedAt: entry.recordedAt, effectiveAt: entry.effectiveAt,
                kind: FactKind(of: entry.fact).rawValue,
                state: state.flatMap { state in entry.fact.state.map { (state.contentHash, $0.signedAt) } },
                key: entry.fact.purchase, content: content, noteHash: note?.hash
            ).bytes(after: previous)
        }
    }

    /// Appends entries with their hashes. Throws a duplicate-key error when a place in a ledger is taken.
    static func append(_ entries: [(new: New, hash: [UInt8])], in session: Session) throws(DatabaseError) {
        try session.executeBulk(
            insert,
            entries.map { new, hash in
                [
                    .uint64(new.pseudonym), Value(new.sequence), .int64(new.entry.recordedAt.milliseconds),
                    .int64(new.entry.effectiveAt.milliseconds), .text(FactKind(of: new.entry.fact).rawValue),
                    Value(new.purchase), Value(new.state?.id), .bytes(hash), Value(new.content), Value(new.note?.json),
                    Value(new.note?.salt), Value(new.note?.hash),
                ]
            })
    }

    /// Whether the entry at the head of a ledger is there; waits for a transaction that has written it and not ended yet.
    static func holds(_ head: UserRow.Head, in session: Session) throws(DatabaseError) -> Bool {
        try !session.query(exists, [.uint64(head.pseudonym), Value(head.length), .bytes(head.hash)]).isEmpty
    }
}

extension LedgerEntryRow.Loaded {
    /// Of the rows of one ledger, the first of which is the entry `after`, if that is not 0. Throws for a row that no program has
    /// written.
    fileprivate init(_ rows: ArraySlice<Row>, after: Int) throws(DatabaseError) {
        entries.reserveCapacity(rows.count)
        for row in rows {
            (length, head) = (try row.int(1), try row.bytes(3))
            guard length > after else {
                joint = head
                continue
            }
            guard let entry = try LedgerEntryRow.decode(row, from: 6) else { continue }
            entries.append(entry)
            guard let key = entry.fact.purchase else { continue }
            purchases[key] = try row.uint64(2)
            if let tombstone = try row.optionalText(4) { tombstones[key] = key.numbered(ExternalID(tombstone)) }
        }
    }

    /// Takes what stands behind it.
    fileprivate mutating func append(_ next: Self, isFirst: Bool) {
        if isFirst { joint = next.joint }
        (length, head) = (next.length, next.head)
        entries += next.entries
        purchases.merge(next.purchases) { $1 }
        tombstones.merge(next.tombstones) { $1 }
    }

    /// The same with lots that were drawn from called as their rows are, though the contents have their tombstones.
    fileprivate var renamed: Self {
        let names = Dictionary(tombstones.map { ($0.value, $0.key) }, uniquingKeysWith: { first, _ in first })
        guard names.contains(where: { $0.key != $0.value }) else { return self }
        var renamed = self
        renamed.entries = entries.map { entry in entry.renamed { names[$0] ?? $0 } }
        return renamed
    }
}

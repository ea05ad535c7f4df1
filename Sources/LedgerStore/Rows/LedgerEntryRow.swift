import Entitlements
import MariaDB

/// A row of `ledger_entries`: one fact of one person.
enum LedgerEntryRow {
    /// The columns that make an entry.
    private static let columns = """
        l.recorded_at, l.effective_at, l.kind, l.content, l.note, \(PurchaseRow.columns), l.state_id, \(StateRow.columns)
        """

    private static let byPseudonym = Statement(
        "read ledgers",
        """
        SELECT l.user_id, l.purchase_id, l.hash, IF(p.external_id LIKE 'hmac:%', p.external_id, NULL), p.place, \(columns)
        FROM JSON_TABLE(?, '$[*]' COLUMNS (pseudonym BIGINT UNSIGNED PATH '$')) j
        STRAIGHT_JOIN ledger_entries l ON l.user_id = j.pseudonym
        LEFT JOIN purchases p ON p.id = l.purchase_id
        LEFT JOIN apple_iap_transactions t ON t.id = l.state_id
        ORDER BY l.user_id, l.seq
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

    /// A ledger as its rows hold it.
    struct Loaded {
        /// The hash of the newest entry, whether or not this program can read it.
        var head: [UInt8] = []
        var entries: [LedgerEntry] = []
        /// The rows of the purchases that the entries are about.
        var purchases: [PurchaseKey: UInt64] = [:]
        /// What stands in the rows for those of them that are buried.
        var tombstones: [PurchaseKey: PurchaseKey] = [:]
    }

    /// The ledgers by pseudonym, each in its order.
    static func load(of pseudonyms: [UInt64], in session: Session) throws(DatabaseError) -> [UInt64: Loaded] {
        guard !pseudonyms.isEmpty else { return [:] }
        var array = JSONArray()
        pseudonyms.forEach { array.append($0) }
        var ledgers: [UInt64: Loaded] = [:]
        for row in try session.query(byPseudonym, [.text(array.closed)]) {
            let pseudonym = try row.uint64(0)
            ledgers[pseudonym, default: Loaded()].head = try row.bytes(2)
            guard let entry = try decode(row, from: 5) else { continue }
            ledgers[pseudonym]?.entries.append(entry)
            guard let key = entry.fact.purchase else { continue }
            ledgers[pseudonym]?.purchases[key] = try row.uint64(1)
            if let tombstone = try row.optionalText(3) {
                ledgers[pseudonym]?.tombstones[key] = key.numbered(ExternalID(tombstone))
            }
        }
        return ledgers.mapValues(\.renamed)
    }

    /// The entry in the columns from `first` on, before which the place of its purchase stands; nil for a kind that a newer version writes, and for what was erased.
    private static func decode(_ row: Row, from first: Int) throws(DatabaseError) -> LedgerEntry? {
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
    /// The same with lots that were drawn from called as their rows are, though the contents have their tombstones.
    fileprivate var renamed: Self {
        let names = Dictionary(tombstones.map { ($0.value, $0.key) }, uniquingKeysWith: { first, _ in first })
        guard names.contains(where: { $0.key != $0.value }) else { return self }
        var renamed = self
        renamed.entries = entries.map { entry in entry.renamed { names[$0] ?? $0 } }
        return renamed
    }
}

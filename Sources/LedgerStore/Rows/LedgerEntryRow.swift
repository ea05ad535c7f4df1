import Entitlements
import MariaDB

/// A row of `ledger_entries`: one fact of one person.
enum LedgerEntryRow {
    /// What the column `kind` holds.
    enum Kind: String {
        case evidence
        case bound
    }

    /// The columns that make an entry, and the rows it refers to.
    static let columns = """
        l.recorded_at, l.effective_at, l.kind, p.source, p.app, p.environment, p.external_id, \(StateRow.columns)
        """

    static let joins = """
        STRAIGHT_JOIN purchases p ON p.id = l.purchase_id
        LEFT JOIN apple_iap_transactions t ON t.id = l.state_id
        """

    private static let byPseudonym = Statement(
        "read ledgers",
        """
        SELECT l.user_id, l.purchase_id, l.hash, \(columns)
        FROM JSON_TABLE(?, '$[*]' COLUMNS (pseudonym BIGINT UNSIGNED PATH '$')) j
        STRAIGHT_JOIN ledger_entries l ON l.user_id = j.pseudonym
        \(joins)
        ORDER BY l.user_id, l.seq
        """)

    private static let insert = Statement(
        "append entry",
        """
        INSERT INTO ledger_entries (user_id, seq, recorded_at, effective_at, kind, purchase_id, state_id, hash)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        """)

    /// An entry and the row of the purchase that it is about.
    struct Loaded {
        let entry: LedgerEntry
        let purchase: UInt64
        /// Covers it and all before it.
        let hash: [UInt8]
    }

    /// The ledgers by pseudonym, each in its order.
    static func load(of pseudonyms: [UInt64], in session: Session) throws(DatabaseError) -> [UInt64: [Loaded]] {
        guard !pseudonyms.isEmpty else { return [:] }
        var array = JSONArray()
        pseudonyms.forEach { array.append($0) }
        var entries: [UInt64: [Loaded]] = [:]
        for row in try session.query(byPseudonym, [.text(array.closed)]) {
            guard let entry = try decode(row, from: 3) else { continue }
            entries[try row.uint64(0), default: []].append(
                Loaded(entry: entry, purchase: try row.uint64(1), hash: try row.bytes(2)))
        }
        return entries
    }

    /// The entry in the columns from `first` on; nil for a kind that a newer version writes.
    static func decode(_ row: Row, from first: Int) throws(DatabaseError) -> LedgerEntry? {
        guard let kind = Kind(rawValue: try row.text(first + 2)), let key = try key(row, from: first + 3) else {
            return nil
        }
        let fact: Fact =
            switch kind {
            case .evidence: .evidence(try StateRow.decode(row, from: first + 7, key: key))
            case .bound: .bound(key)
            }
        return LedgerEntry(
            effectiveAt: Instant(milliseconds: try row.int64(first + 1)),
            recordedAt: Instant(milliseconds: try row.int64(first)), fact: fact)
    }

    private static func key(_ row: Row, from first: Int) throws(DatabaseError) -> PurchaseKey? {
        guard let source = Source(rawValue: try row.text(first)),
            let environment = StoreEnvironment(rawValue: try row.text(first + 2))
        else { return nil }
        return PurchaseKey(
            source: source, app: AppID(try row.text(first + 1)), environment: environment,
            externalID: ExternalID(try row.text(first + 3)))
    }

    /// An entry to append: whose, where in the ledger, and the rows it refers to.
    struct New {
        let pseudonym: UInt64
        let sequence: Int
        let entry: LedgerEntry
        let purchase: UInt64
        let state: UInt64?
        let hash: [UInt8]
    }

    /// Appends entries. Throws a duplicate-key error when a place in a ledger is taken.
    static func append(_ entries: [New], in session: Session) throws(DatabaseError) {
        try session.executeBulk(
            insert,
            entries.map {
                [
                    .uint64($0.pseudonym), Value($0.sequence), .int64($0.entry.recordedAt.milliseconds),
                    .int64($0.entry.effectiveAt.milliseconds), .text(kind(of: $0.entry.fact).rawValue),
                    .uint64($0.purchase), Value($0.state), .bytes($0.hash),
                ]
            })
    }

    /// The hash of an entry, which covers the one before it and names no person but by pseudonym.
    static func hash(_ entry: LedgerEntry, sequence: Int, pseudonym: UInt64, after previous: [UInt8]) -> [UInt8] {
        var encoder = FieldEncoder()
        encoder.append(previous)
        encoder.append(Int64(bitPattern: pseudonym))
        encoder.append(Int64(sequence))
        encoder.append(entry.recordedAt.milliseconds)
        encoder.append(entry.effectiveAt.milliseconds)
        encoder.append(kind(of: entry.fact).rawValue)
        switch entry.fact {
        case .evidence(let state):
            encoder.append(ContentDigest.bytes(of: state))
            encoder.append(state.signedAt.milliseconds)
        case .bound(let key):
            encoder.append(key)
        }
        return encoder.digest
    }

    private static func kind(of fact: Fact) -> Kind {
        switch fact {
        case .evidence: .evidence
        case .bound: .bound
        }
    }
}

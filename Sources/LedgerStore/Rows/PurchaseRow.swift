import Entitlements
import MariaDB

/// A row of `purchases`: an identity and who owns it.
enum PurchaseRow {
    /// A purchase under lock.
    struct Locked {
        let key: PurchaseKey
        let id: UInt64
        /// The owner's pseudonym.
        let owner: UInt64?
    }

    /// A key as an element of a JSON array.
    private static let keyColumns = """
        n FOR ORDINALITY,
        source VARCHAR(32) CHARACTER SET ascii COLLATE ascii_nopad_bin PATH '$[0]',
        app VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin PATH '$[1]',
        environment VARCHAR(10) CHARACTER SET ascii COLLATE ascii_nopad_bin PATH '$[2]',
        external_id VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin PATH '$[3]'
        """

    /// Those that are there with all who have or had them, and those who owe something of an Apple account.
    private static let knownByKey = SQLStatement(
        "read known purchases",
        """
        SELECT v.version, j.n, o.pseudonym, o.user_id, o.ledger_length, f.pseudonym, f.user_id, f.ledger_length,
            e.pseudonym, e.user_id
        FROM (SELECT MAX(version) version FROM catalog_versions) v
        LEFT JOIN (
            JSON_TABLE(?, '$[*]' COLUMNS (\(keyColumns))) j
            STRAIGHT_JOIN purchases p ON p.source = j.source AND p.app = j.app AND p.environment = j.environment
                AND p.external_id = j.external_id
        ) ON TRUE
        LEFT JOIN users o ON o.pseudonym = p.user_id
        LEFT JOIN purchase_holders h ON h.purchase_id = p.id
        LEFT JOIN users f ON f.pseudonym = h.user_id
        LEFT JOIN (
            JSON_TABLE(?, '$[*]' COLUMNS (
                account VARCHAR(32) CHARACTER SET ascii COLLATE ascii_nopad_bin PATH '$')) a
            STRAIGHT_JOIN open_debts d ON d.account = a.account
            STRAIGHT_JOIN users e ON e.pseudonym = d.user_id
        ) ON TRUE
        """)

    private static let keysByOwner = SQLStatement(
        "read keys",
        """
        SELECT p.source, p.app, p.environment, p.external_id
        FROM JSON_TABLE(?, '$[*]' COLUMNS (pseudonym BIGINT UNSIGNED PATH '$')) j
        STRAIGHT_JOIN purchases p ON p.user_id = j.pseudonym
        """)

    private static let formerHoldersByPurchase = SQLStatement(
        "read former holders",
        """
        SELECT h.purchase_id, h.user_id
        FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) j
        STRAIGHT_JOIN purchase_holders h ON h.purchase_id = j.id
        """)

    private static let addFormerHolder = SQLStatement(
        "add former holder",
        """
        INSERT INTO purchase_holders (purchase_id, user_id) VALUES (?, ?) ON DUPLICATE KEY UPDATE user_id = user_id
        """)

    /// Holds the rows' locks until the transaction ends, taken in the order of the keys.
    private static let lockByKey = SQLStatement(
        "lock purchases",
        """
        SELECT j.n, p.id, p.user_id
        FROM JSON_TABLE(?, '$[*]' COLUMNS (\(keyColumns))) j
        STRAIGHT_JOIN purchases p ON p.source = j.source AND p.app = j.app AND p.environment = j.environment
            AND p.external_id = j.external_id
        FOR UPDATE
        """)

    private static let insertOne = SQLStatement(
        "insert purchase",
        """
        INSERT INTO purchases (source, app, environment, external_id, user_id, bound_at) VALUES (?, ?, ?, ?, ?, ?)
        RETURNING id
        """)

    private static let statesByPurchase = SQLStatement(
        "read states",
        """
        SELECT t.purchase_id, t.id, t.text_of, t.content_hash, t.statement
        FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) j
        STRAIGHT_JOIN apple_iap_transactions t ON t.purchase_id = j.id
        ORDER BY t.id
        """)

    private static let setOwner = SQLStatement(
        "bind purchase", "UPDATE purchases SET user_id = ?, bound_at = ? WHERE id = ?")

    private static let setOwnerOfStates = SQLStatement(
        "bind states", "UPDATE apple_iap_transactions SET user_id = ? WHERE purchase_id = ?")

    /// What there is of some keys, and the number of the newest catalogue.
    struct Known {
        var catalogueVersion = 0
        /// Those that have a row.
        var keys: Set<PurchaseKey> = []
        /// Everybody who has or had one of them, or owes something of one of the accounts, and their pseudonym.
        var holders: [UserID: UInt64] = [:]
        /// Those of the keys that somebody has or had whose ledger is heavy.
        var heavy: Set<PurchaseKey> = []
    }

    /// Those of `keys` that are there, and who owes something of the Apple `accounts`, read without a lock.
    static func known(
        _ keys: [PurchaseKey], owedBy accounts: Set<Label>, in session: Session
    ) throws(DatabaseError) -> Known {
        var known = Known()
        var array = JSONArray()
        for account in accounts { array.append(account.text) }
        for row in try session.query(knownByKey, [.text(self.array(of: keys)), .text(array.closed)]) {
            known.catalogueVersion = try row.optionalInt(0) ?? 0
            if let debtor = try row.optionalUInt64(8) {
                known.holders[try UserRow.user(row, at: 9, pseudonym: 8)] = debtor
            }
            guard let number = try row.optionalInt(1) else { continue }
            let key = keys[number - 1]
            known.keys.insert(key)
            for column in [2, 5] {
                guard let pseudonym = try row.optionalUInt64(column) else { continue }
                known.holders[try UserRow.user(row, at: column + 1, pseudonym: column)] = pseudonym
                if UserRow.Head.isHeavy(length: try row.int(column + 2)) { known.heavy.insert(key) }
            }
        }
        return known
    }

    /// The purchases that the people under `pseudonyms`, whose locks are held, have.
    static func keys(of pseudonyms: [UInt64], in session: Session) throws(DatabaseError) -> Set<PurchaseKey> {
        guard !pseudonyms.isEmpty else { return [] }
        var array = JSONArray()
        pseudonyms.forEach { array.append($0) }
        var keys: Set<PurchaseKey> = []
        for row in try session.query(keysByOwner, [.text(array.closed)]) {
            if let key = try key(row, from: 0) { keys.insert(key) }
        }
        return keys
    }

    /// The key in the columns that `columns` lists.
    static let columns = "p.source, p.app, p.environment, p.external_id"

    /// The key in the columns from `first` on; nil when they are NULL.
    static func key(_ row: Row, from first: Int) throws(DatabaseError) -> PurchaseKey? {
        guard let source = try row.optionalText(first) else { return nil }
        guard let environment = StoreEnvironment(rawValue: try row.text(first + 2)) else { throw row.malformed(first) }
        return PurchaseKey(
            source: Source(source), app: AppID(try row.text(first + 1)), environment: environment,
            externalID: ExternalID(try row.text(first + 3)))
    }

    /// Who had the purchases with the rows `ids` before their owners.
    static func formerHolders(of ids: [UInt64], in session: Session) throws(DatabaseError) -> [UInt64: [UInt64]] {
        guard !ids.isEmpty else { return [:] }
        var array = JSONArray()
        ids.forEach { array.append($0) }
        var holders: [UInt64: [UInt64]] = [:]
        for row in try session.query(formerHoldersByPurchase, [.text(array.closed)]) {
            holders[try row.uint64(0), default: []].append(try row.uint64(1))
        }
        return holders
    }

    /// Writes who had purchases before. Repeat is safe because a pair has one row.
    static func addFormerHolders(
        _ pairs: [(purchase: UInt64, holder: UInt64)], in session: Session
    ) throws(DatabaseError) {
        try session.executeBulk(addFormerHolder, pairs.map { [.uint64($0.purchase), .uint64($0.holder)] })
    }

    /// Locks those of `keys`, which stand in ascending order, that are there, one after the other. Throws when the
    /// database refuses a statement or is away.
    static func lock(_ keys: [PurchaseKey], in session: Session) throws(DatabaseError) -> [Locked] {
        guard !keys.isEmpty else { return [] }
        return try session.query(lockByKey, [.text(array(of: keys))]) { (row) throws(DatabaseError) in
            Locked(key: keys[try row.int(0) - 1], id: try row.uint64(1), owner: try row.optionalUInt64(2))
        }
    }

    /// A purchase to make a row of.
    struct New {
        let key: PurchaseKey
        /// The owner's pseudonym and since when, if it has one.
        let owner: (pseudonym: UInt64, boundAt: Instant)?
    }

    /// The ids of new rows, in order; a duplicate-key error when another instance was first. Throws when the database
    /// refuses a statement or is away.
    static func insert(_ purchases: [New], in session: Session) throws(DatabaseError) -> [UInt64] {
        let rows = try session.queryBulk(
            insertOne,
            purchases.map { purchase in
                let key = purchase.key
                return [
                    .text(key.source.text), .text(key.app.text), .text(key.environment.rawValue),
                    .text(key.externalID.text), Value(purchase.owner?.pseudonym),
                    Value(purchase.owner?.boundAt.milliseconds),
                ]
            })
        return try rows.map { (row) throws(DatabaseError) in try row.uint64(0) }
    }

    private static func array(of keys: [PurchaseKey]) -> String {
        var array = JSONArray()
        for key in keys {
            array.append([key.source.text, key.app.text, key.environment.rawValue, key.externalID.text])
        }
        return array.closed
    }

    /// The states of locked purchases by purchase, in the order of recording.
    static func states(
        of purchases: [Locked], in session: Session
    ) throws(DatabaseError) -> [UInt64: [Workspace.State]] {
        guard !purchases.isEmpty else { return [:] }
        var array = JSONArray()
        purchases.forEach { array.append($0.id) }
        var states: [UInt64: [Workspace.State]] = [:]
        for row in try session.query(statesByPurchase, [.text(array.closed)]) {
            states[try row.uint64(0), default: []].append(
                Workspace.State(
                    purchase: try StateRow.state(row, 4), statement: try row.text(4),
                    contentHash: try row.bytes(3), id: try row.uint64(1),
                    textOf: try row.optionalUInt64(2), repeats: nil, new: nil))
        }
        return states
    }

    /// A purchase that becomes somebody's.
    struct Binding {
        let purchase: UInt64
        /// The owner's pseudonym.
        let owner: UInt64
        let boundAt: Instant
        let hasEarlierStates: Bool
    }

    /// Writes who owns `bindings` now.
    static func bind(_ bindings: [Binding], in session: Session) throws(DatabaseError) {
        try session.executeBulk(
            setOwner, bindings.map { [.uint64($0.owner), .int64($0.boundAt.milliseconds), .uint64($0.purchase)] })
        let earlier = bindings.filter(\.hasEarlierStates)
        guard !earlier.isEmpty else { return }
        try session.executeBulk(setOwnerOfStates, earlier.map { [.uint64($0.owner), .uint64($0.purchase)] })
    }
}

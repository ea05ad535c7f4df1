import Entitlements
import MariaDB

/// A row of `purchases`: an identity and who owns it.
enum PurchaseRow {
    /// A purchase under lock.
    struct Locked {
        private(set) var key: PurchaseKey
        let id: UInt64
        /// The owner's pseudonym.
        let owner: UInt64?
        /// What the row has for `key`, once the purchase was buried.
        let tombstone: PurchaseKey?
        /// Whether the row has the number of `key` beside its tombstone.
        let isNamed: Bool

        /// Of a row that is found by the number `stored` and has another one beside it, unless `name` is nil.
        init(_ stored: PurchaseKey, name: ExternalID?, id: UInt64, owner: UInt64?) {
            key = name.map { stored.numbered($0) } ?? stored
            self.id = id
            self.owner = owner
            tombstone = stored.isTombstone ? stored : nil
            isNamed = name != nil
        }

        /// The same as the requests call it.
        func recognized(by recognition: Recognition) -> Locked {
            var recognized = self
            if !isNamed { recognized.key = recognition.name(of: key) }
            return recognized
        }
    }

    /// Whether a row's number is a tombstone, as an index finds it.
    static let isBuried = "external_id >= 'hmac:' AND external_id < 'hmac;'"

    /// A key as an element of a JSON array.
    private static let keyColumns = """
        n FOR ORDINALITY,
        source VARCHAR(16) CHARACTER SET ascii COLLATE ascii_nopad_bin PATH '$[0]',
        app VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin PATH '$[1]',
        environment VARCHAR(10) CHARACTER SET ascii COLLATE ascii_nopad_bin PATH '$[2]',
        external_id VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin PATH '$[3]'
        """

    private static let knownByKey = Statement(
        "read known purchases",
        """
        SELECT v.version, v.is_anybody_erased, j.n, o.pseudonym, o.user_id, o.ledger_length, f.pseudonym, f.user_id,
            f.ledger_length
        FROM (
            SELECT MAX(version) version,
                EXISTS (SELECT 1 FROM users WHERE user_id IS NULL) is_anybody_erased
            FROM catalog_versions
        ) v
        LEFT JOIN (
            JSON_TABLE(?, '$[*]' COLUMNS (\(keyColumns))) j
            STRAIGHT_JOIN purchases p ON p.source = j.source AND p.app = j.app AND p.environment = j.environment
                AND p.external_id = j.external_id
        ) ON TRUE
        LEFT JOIN users o ON o.pseudonym = p.user_id
        LEFT JOIN purchase_holders h ON h.purchase_id = p.id
        LEFT JOIN users f ON f.pseudonym = h.user_id
        """)

    private static let keysByHolder = Statement(
        "read keys",
        """
        SELECT p.source, p.app, p.environment, p.external_id
        FROM JSON_TABLE(?, '$[*]' COLUMNS (pseudonym BIGINT UNSIGNED PATH '$')) j
        STRAIGHT_JOIN purchases p ON p.user_id = j.pseudonym
        UNION
        SELECT p.source, p.app, p.environment, p.external_id
        FROM JSON_TABLE(?, '$[*]' COLUMNS (pseudonym BIGINT UNSIGNED PATH '$')) j
        STRAIGHT_JOIN purchase_holders h ON h.user_id = j.pseudonym
        STRAIGHT_JOIN purchases p ON p.id = h.purchase_id
        WHERE p.source = '\(Source.manual.rawValue)' OR EXISTS (
            SELECT 1 FROM apple_iap_transactions t
            WHERE t.purchase_id = p.id AND t.product_type = '\(StoreProductType.consumable.column)')
        """)

    private static let formerHoldersByPurchase = Statement(
        "read former holders",
        """
        SELECT h.purchase_id, h.user_id
        FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) j
        STRAIGHT_JOIN purchase_holders h ON h.purchase_id = j.id
        """)

    private static let addFormerHolder = Statement(
        "add former holder",
        """
        INSERT INTO purchase_holders (purchase_id, user_id) VALUES (?, ?) ON DUPLICATE KEY UPDATE user_id = user_id
        """)

    /// Holds the rows' locks until the transaction ends, taken in the order of the keys.
    private static let lockByKey = Statement(
        "lock purchases",
        """
        SELECT j.n, p.id, p.user_id, p.known_as
        FROM JSON_TABLE(?, '$[*]' COLUMNS (\(keyColumns))) j
        STRAIGHT_JOIN purchases p ON p.source = j.source AND p.app = j.app AND p.environment = j.environment
            AND p.external_id = j.external_id
        FOR UPDATE
        """)

    private static let insertOne = Statement(
        "insert purchase",
        """
        INSERT INTO purchases (source, app, environment, external_id, user_id, bound_at) VALUES (?, ?, ?, ?, ?, ?)
        RETURNING id
        """)

    private static let statesByPurchase = Statement(
        "read states",
        """
        SELECT t.purchase_id, t.id, t.text_of, t.content_hash, \(StateRow.columns)
        FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) j
        STRAIGHT_JOIN apple_iap_transactions t ON t.purchase_id = j.id
        ORDER BY t.id
        """)

    private static let tombstoneByKey = Statement(
        "find tombstones",
        """
        SELECT 1
        FROM JSON_TABLE(?, '$[*]' COLUMNS (\(keyColumns))) j
        STRAIGHT_JOIN purchases p ON p.source = j.source AND p.app = j.app AND p.environment = j.environment
            AND p.external_id = j.external_id
        LIMIT 1
        """)

    private static let anyTombstone = Statement(
        "find any tombstone",
        "SELECT 1 FROM purchases FORCE INDEX (by_external_id) WHERE \(isBuried) LIMIT 1")

    private static let setName = Statement("name purchase", "UPDATE purchases SET known_as = ? WHERE id = ?")

    private static let setOwner = Statement(
        "bind purchase", "UPDATE purchases SET user_id = ?, bound_at = ? WHERE id = ?")

    private static let setOwnerOfStates = Statement(
        "bind states", "UPDATE apple_iap_transactions SET user_id = ? WHERE purchase_id = ?")

    /// What there is of some keys, and the number of the newest catalogue.
    struct Known {
        var catalogueVersion = 0
        /// Whether anybody at all was erased, so that a purchase may be buried.
        var isAnybodyErased = false
        /// Those that have a row.
        var keys: Set<PurchaseKey> = []
        /// Everybody who has or had one of them, and their pseudonym.
        var holders: [UserID: UInt64] = [:]
        /// Those of the keys that somebody has or had whose ledger is heavy.
        var heavy: Set<PurchaseKey> = []

        /// The same with what is there of further keys.
        func merging(_ further: Known) -> Known {
            var known = self
            known.keys.formUnion(further.keys)
            known.holders.merge(further.holders) { first, _ in first }
            return known
        }
    }

    /// Those of `keys` that are there, read without a lock.
    static func known(_ keys: [PurchaseKey], in session: Session) throws(DatabaseError) -> Known {
        var known = Known()
        for row in try session.query(knownByKey, [.text(array(of: keys))]) {
            known.catalogueVersion = try row.optionalInt(0) ?? 0
            known.isAnybodyErased = try row.bool(1)
            guard let number = try row.optionalInt(2) else { continue }
            let key = keys[number - 1]
            known.keys.insert(key)
            for column in [3, 6] {
                guard let pseudonym = try row.optionalUInt64(column) else { continue }
                known.holders[try UserRow.user(row, at: column + 1, pseudonym: column)] = pseudonym
                if UserRow.Head.isHeavy(length: try row.int(column + 2)) { known.heavy.insert(key) }
            }
        }
        return known
    }

    /// The purchases that the people under `pseudonyms`, whose locks are held, have, and the lots that they had. Those of a
    /// source that a newer version writes are left out.
    static func keys(of pseudonyms: [UInt64], in session: Session) throws(DatabaseError) -> Set<PurchaseKey> {
        guard !pseudonyms.isEmpty else { return [] }
        var array = JSONArray()
        pseudonyms.forEach { array.append($0) }
        var keys: Set<PurchaseKey> = []
        for row in try session.query(keysByHolder, [.text(array.closed), .text(array.closed)]) {
            if let key = try key(row, from: 0) { keys.insert(key) }
        }
        return keys
    }

    /// The key as people call it, in the columns that `columns` lists.
    static let columns = "p.source, p.app, p.environment, COALESCE(p.known_as, p.external_id)"

    /// The key in the columns from `first` on, with its place; nil when they are NULL or of a source that a newer version writes.
    static func key(
        _ row: Row, from first: Int, place: ExternalID? = nil
    ) throws(DatabaseError) -> PurchaseKey? {
        guard let source = try row.optionalText(first).flatMap(Source.init(rawValue:)),
            let environment = StoreEnvironment(rawValue: try row.text(first + 2))
        else { return nil }
        return PurchaseKey(
            source: source, app: AppID(try row.text(first + 1)), environment: environment,
            externalID: ExternalID(try row.text(first + 3)), place: place)
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
            Locked(
                keys[try row.int(0) - 1], name: try row.optionalText(3).map { ExternalID($0) }, id: try row.uint64(1),
                owner: try row.optionalUInt64(2))
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
                    .text(key.source.rawValue), .text(key.app.text), .text(key.environment.rawValue),
                    .text(key.externalID.text), Value(purchase.owner?.pseudonym),
                    Value(purchase.owner?.boundAt.milliseconds),
                ]
            })
        return try rows.map { (row) throws(DatabaseError) in try row.uint64(0) }
    }

    /// Whether any purchase at all is buried.
    static func isAnyBuried(in session: Session) throws(DatabaseError) -> Bool {
        try !session.query(anyTombstone).isEmpty
    }

    /// Whether one of `keys` stands in a row under its tombstone.
    static func isAnyBuried(
        of keys: [PurchaseKey], under tombstone: TombstoneKey, in session: Session
    ) throws(DatabaseError) -> Bool {
        guard !keys.isEmpty, try isAnyBuried(in: session) else { return false }
        let tombstones = keys.map { $0.buried(under: tombstone) }
        return try !session.query(tombstoneByKey, [.text(array(of: tombstones))]).isEmpty
    }

    /// Writes what buried purchases are called, beside their tombstones.
    static func name(_ purchases: [(id: UInt64, name: ExternalID)], in session: Session) throws(DatabaseError) {
        try session.executeBulk(setName, purchases.map { [.text($0.name.text), .uint64($0.id)] })
    }

    private static func array(of keys: [PurchaseKey]) -> String {
        var array = JSONArray()
        for key in keys {
            array.append([key.source.rawValue, key.app.text, key.environment.rawValue, key.externalID.text])
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
        let keys = Dictionary(uniqueKeysWithValues: purchases.map { ($0.id, $0.key) })
        var states: [UInt64: [Workspace.State]] = [:]
        for row in try session.query(statesByPurchase, [.text(array.closed)]) {
            let purchase = try row.uint64(0)
            guard let key = keys[purchase] else { continue }
            states[purchase, default: []].append(
                Workspace.State(
                    purchase: try StateRow.decode(row, from: 4, key: key), contentHash: try row.bytes(3),
                    id: try row.uint64(1),
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

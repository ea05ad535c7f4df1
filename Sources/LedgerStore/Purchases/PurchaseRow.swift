import Entitlements
import MariaDB

/// A row of `purchases`: the identity of a purchase, and its owner. ``HolderRow`` writes the owner and has the former
/// holders.
enum PurchaseRow {
    /// A purchase with its row and its owner, as they were read.
    struct Held {
        let key: PurchaseKey
        let id: UInt64
        /// The owner's pseudonym.
        let owner: UInt64?
    }

    /// The columns that `JSON_TABLE` makes of a key in the array of ``array(of:)``.
    static let keyColumns = """
        n FOR ORDINALITY,
        source VARCHAR(32) CHARACTER SET ascii COLLATE ascii_nopad_bin PATH '$[0]',
        app VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin PATH '$[1]',
        environment VARCHAR(10) CHARACTER SET ascii COLLATE ascii_nopad_bin PATH '$[2]',
        external_id VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin PATH '$[3]'
        """

    private static let keysByOwner = SQLStatement(
        "read keys",
        """
        SELECT p.source, p.app, p.environment, p.external_id
        FROM JSON_TABLE(?, '$[*]' COLUMNS (pseudonym BIGINT UNSIGNED PATH '$')) j
        STRAIGHT_JOIN purchases p ON p.user_id = j.pseudonym
        """)

    private static let selectByKey = """
        SELECT j.n, p.id, p.user_id
        FROM JSON_TABLE(?, '$[*]' COLUMNS (\(keyColumns))) j
        STRAIGHT_JOIN purchases p ON p.source = j.source AND p.app = j.app AND p.environment = j.environment
            AND p.external_id = j.external_id
        """

    /// Locks rows in the order of the keys, until the transaction ends. Written by: `touch purchases`.
    private static let lockByKey = SQLStatement("lock purchases", selectByKey + "\nFOR UPDATE")

    private static let readByKey = SQLStatement("read purchases", selectByKey)

    private static let insertOne = SQLStatement(
        "insert purchase",
        """
        INSERT INTO purchases (source, app, environment, external_id, user_id, bound_at, recorded_at)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        RETURNING id
        """)

    /// The keys of the purchases that the people under `pseudonyms` have.
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

    /// The columns that ``key(_:from:)`` reads.
    static let columns = "p.source, p.app, p.environment, p.external_id"

    /// The key in four columns from `first` on; nil if they are NULL.
    static func key(_ row: Row, from first: Int) throws(DatabaseError) -> PurchaseKey? {
        guard let source = try row.optionalText(first) else { return nil }
        guard let environment = StoreEnvironment(rawValue: try row.text(first + 2)) else { throw row.malformed(first) }
        return PurchaseKey(
            source: Source(source), app: AppID(try row.text(first + 1)), environment: environment,
            externalID: ExternalID(try row.text(first + 3)))
    }

    /// Reads the purchases of `keys` that have rows. If `locking`, it locks them one after the other, in the order of
    /// the keys, which are ascending. Throws when the database refuses a statement or is away.
    static func load(
        _ keys: [PurchaseKey], locking: Bool, in session: Session
    ) throws(DatabaseError) -> [Held] {
        guard !keys.isEmpty else { return [] }
        let statement = locking ? lockByKey : readByKey
        return try session.query(statement, [.text(array(of: keys))]) { (row) throws(DatabaseError) in
            Held(key: keys[try row.int(0) - 1], id: try row.uint64(1), owner: try row.optionalUInt64(2))
        }
    }

    private static let touch = SQLStatement(
        "touch purchases",
        """
        UPDATE \(JSONArray.ids) STRAIGHT_JOIN purchases p FORCE INDEX (PRIMARY) ON p.id = j.id
        SET p.touched = NOT p.touched
        """)

    /// Writes locked rows of which the transaction writes nothing else, as ``UserRow/touch(_:in:)`` does. Throws when
    /// the database refuses the statement or is away.
    static func touch(_ ids: [UInt64], in session: Session) throws(DatabaseError) {
        guard !ids.isEmpty else { return }
        try session.execute(touch, [.text(JSONArray(ids).closed)])
    }

    /// A purchase whose row is to be inserted.
    struct New {
        let key: PurchaseKey
        /// The owner's pseudonym and the instant of the binding; nil if nobody has the purchase.
        let owner: (pseudonym: UInt64, boundAt: Instant)?
    }

    /// Inserts rows of purchases that were first stated at `now`, and returns their ids in the same order. Throws a
    /// duplicate-key error if another instance inserted one first, and other errors when the database refuses a
    /// statement or is away.
    static func insert(_ purchases: [New], at now: Instant, in session: Session) throws(DatabaseError) -> [UInt64] {
        let rows = try session.queryBulk(
            insertOne,
            purchases.map { purchase in
                let key = purchase.key
                return [
                    .text(key.source.text), .text(key.app.text), .text(key.environment.rawValue),
                    .text(key.externalID.text), Value(purchase.owner?.pseudonym),
                    Value(purchase.owner?.boundAt.milliseconds), .int64(now.milliseconds),
                ]
            })
        return try rows.map { (row) throws(DatabaseError) in try row.uint64(0) }
    }

    /// The keys as a JSON array, which `keyColumns` reads.
    static func array(of keys: [PurchaseKey]) -> String {
        var array = JSONArray()
        for key in keys {
            array.append([key.source.text, key.app.text, key.environment.rawValue, key.externalID.text])
        }
        return array.closed
    }
}

import Entitlements
import MariaDB

/// The existing purchases among some keys, their holders, and the number of the newest catalogue. A batch reads these
/// before it locks people and purchases.
struct KnownPurchases {
    var catalogueVersion = 0
    /// The keys of the purchases that have a row.
    var keys: Set<PurchaseKey> = []
    /// The users who have or had one of the purchases, with their pseudonyms.
    var holders: [UserID: UInt64] = [:]
    /// The purchases that a person with a heavy ledger has or had.
    var heavy: Set<PurchaseKey> = []

    /// Reads purchases that have rows, with their owners and former holders.
    private static let byKey = SQLStatement(
        "read known purchases",
        """
        SELECT v.version, j.n, o.pseudonym, o.user_id, o.ledger_length, f.pseudonym, f.user_id, f.ledger_length
        FROM (SELECT MAX(version) version FROM catalog_versions) v
        LEFT JOIN (
            JSON_TABLE(?, '$[*]' COLUMNS (\(PurchaseRow.keyColumns))) j
            STRAIGHT_JOIN purchases p ON p.source = j.source AND p.app = j.app AND p.environment = j.environment
                AND p.external_id = j.external_id
        ) ON TRUE
        LEFT JOIN users o ON o.pseudonym = p.user_id
        LEFT JOIN purchase_holders h ON h.purchase_id = p.id
        LEFT JOIN users f ON f.pseudonym = h.user_id
        """)

    /// Reads the purchases of `keys` that have rows, without a lock.
    static func load(_ keys: [PurchaseKey], in session: Session) throws(DatabaseError) -> KnownPurchases {
        var known = KnownPurchases()
        for row in try session.query(byKey, [.text(PurchaseRow.array(of: keys))]) {
            known.catalogueVersion = try row.optionalInt(0) ?? 0
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
}

import Entitlements
import MariaDB

/// The holders of a purchase. The owner is in the purchase's row in `purchases`; each former holder has a row of
/// `purchase_holders`.
enum HolderRow {
    private static let byPurchase = SQLStatement(
        "read former holders",
        """
        SELECT h.purchase_id, h.user_id
        FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) j
        STRAIGHT_JOIN purchase_holders h ON h.purchase_id = j.id
        """)

    private static let add = SQLStatement(
        "add former holder",
        """
        INSERT INTO purchase_holders (purchase_id, user_id) VALUES (?, ?) ON DUPLICATE KEY UPDATE user_id = user_id
        """)

    private static let setOwner = SQLStatement(
        "bind purchase", "UPDATE purchases SET user_id = ?, bound_at = ? WHERE id = ?")

    private static let setOwnerOfStates = SQLStatement(
        "bind states", "UPDATE apple_iap_transactions SET user_id = ? WHERE purchase_id = ?")

    /// The pseudonyms of the former holders of the purchases with the row ids `ids`; the owners are not included.
    static func former(of ids: [UInt64], in session: Session) throws(DatabaseError) -> [UInt64: [UInt64]] {
        guard !ids.isEmpty else { return [:] }
        var array = JSONArray()
        ids.forEach { array.append($0) }
        var holders: [UInt64: [UInt64]] = [:]
        for row in try session.query(byPurchase, [.text(array.closed)]) {
            holders[try row.uint64(0), default: []].append(try row.uint64(1))
        }
        return holders
    }

    /// Adds former holders of purchases. Repeat is safe because each pair has one row.
    static func addFormer(
        _ pairs: [(purchase: UInt64, holder: UInt64)], in session: Session
    ) throws(DatabaseError) {
        try session.executeBulk(add, pairs.map { [.uint64($0.purchase), .uint64($0.holder)] })
    }

    /// A purchase that gets an owner.
    struct Binding {
        let purchase: UInt64
        /// The owner's pseudonym.
        let owner: UInt64
        let boundAt: Instant
        let hasEarlierStates: Bool
    }

    /// Writes the new owners of purchases, and of their signed states that were recorded before. The batch has locked
    /// these rows, so that no other request has given the purchases away meanwhile.
    static func bind(_ bindings: [Binding], in session: Session) throws(DatabaseError) {
        try session.executeEach(
            setOwner, bindings.map { [.uint64($0.owner), .int64($0.boundAt.milliseconds), .uint64($0.purchase)] })
        let earlier = bindings.filter(\.hasEarlierStates)
        guard !earlier.isEmpty else { return }
        try session.executeEach(setOwnerOfStates, earlier.map { [.uint64($0.owner), .uint64($0.purchase)] })
    }
}

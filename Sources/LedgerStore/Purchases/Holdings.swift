import MariaDB

/// The purchases that one person has and had, according to `purchases` and `purchase_holders`.
struct Holdings {
    /// The row ids of the purchases that the person has now.
    private(set) var owned: Set<UInt64> = []
    /// The row ids of the purchases that the person had earlier.
    private(set) var held: Set<UInt64> = []

    private static let byPseudonym = SQLStatement(
        "read holdings",
        """
        SELECT 1, p.user_id, p.id
        FROM JSON_TABLE(?, '$[*]' COLUMNS (pseudonym BIGINT UNSIGNED PATH '$')) j
        STRAIGHT_JOIN purchases p ON p.user_id = j.pseudonym
        UNION ALL
        SELECT 0, h.user_id, h.purchase_id
        FROM JSON_TABLE(?, '$[*]' COLUMNS (pseudonym BIGINT UNSIGNED PATH '$')) j
        STRAIGHT_JOIN purchase_holders h ON h.user_id = j.pseudonym
        """)

    /// The holdings of people, by pseudonym. Throws when the database is away.
    static func load(of pseudonyms: [UInt64], in session: Session) throws(DatabaseError) -> [UInt64: Holdings] {
        guard !pseudonyms.isEmpty else { return [:] }
        var array = JSONArray()
        pseudonyms.forEach { array.append($0) }
        var holdings: [UInt64: Holdings] = [:]
        for row in try session.query(byPseudonym, [.text(array.closed), .text(array.closed)]) {
            let (pseudonym, purchase) = (try row.uint64(1), try row.uint64(2))
            if try row.bool(0) {
                holdings[pseudonym, default: Holdings()].owned.insert(purchase)
            } else {
                holdings[pseudonym, default: Holdings()].held.insert(purchase)
            }
        }
        return holdings
    }
}

import Entitlements
import MariaDB

/// The deliveries that name a person: by the user id, a store's customer, an account token, an Apple account, or a
/// number that leads to a purchase of theirs (`semantics.md` §5).
enum PersonDeliveries {
    /// The purchases that a person has.
    private static let present = "(SELECT id FROM purchases WHERE user_id = ?) h"

    /// The purchases that a person has or had.
    static let presentAndPast = """
        (SELECT id FROM purchases WHERE user_id = ? UNION SELECT purchase_id FROM purchase_holders WHERE user_id = ?) h
        """

    /// The labels of a person's tokens and customers, and of the Apple accounts that bought `purchases`.
    private static func labels(_ name: String, of purchases: String) -> SQLStatement {
        SQLStatement(
            name,
            """
            SELECT label FROM account_tokens WHERE user_id = ?
            UNION SELECT t.app_transaction_id FROM \(purchases)
            STRAIGHT_JOIN apple_iap_transactions t ON t.purchase_id = h.id WHERE t.app_transaction_id IS NOT NULL
            """)
    }

    /// The numbers of `purchases`, and all that lead to them.
    private static func numbers(_ name: String, of purchases: String) -> SQLStatement {
        SQLStatement(
            name,
            """
            WITH RECURSIVE numbers (source, app, environment, number) AS (
                SELECT p.source, p.app, p.environment, p.external_id
                FROM \(purchases) STRAIGHT_JOIN purchases p ON p.id = h.id
                UNION SELECT n.source, n.app, n.environment, n.number
                FROM numbers k STRAIGHT_JOIN purchase_numbers n FORCE INDEX (by_target) ON n.target = k.number
                    AND n.source = k.source AND n.app = k.app AND n.environment = k.environment)
            SELECT source, app, environment, number FROM numbers
            """)
    }

    private static let labelsOfPresent = labels("read labels of person", of: present)
    private static let labelsOfAll = labels("read all labels of person", of: presentAndPast)
    private static let numbersOfPresent = numbers("read numbers of person", of: present)
    private static let numbersOfAll = numbers("read all numbers of person", of: presentAndPast)

    private static let byLabel = SQLStatement(
        "find deliveries by label",
        """
        SELECT m.delivery_id
        FROM JSON_TABLE(?, '$[*]' COLUMNS (
            mention VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin PATH '$')) j
        STRAIGHT_JOIN delivery_mentions m ON m.mention = j.mention
        """)

    private static let byNumber = SQLStatement(
        "find deliveries by number",
        """
        SELECT d.id
        FROM JSON_TABLE(?, '$[*]' COLUMNS (
            mention VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin PATH '$')) j
        STRAIGHT_JOIN delivery_mentions m ON m.mention = j.mention
        STRAIGHT_JOIN inbox_deliveries d ON d.id = m.delivery_id AND d.source = ? AND d.app = ? AND d.environment = ?
        """)

    private static let namesErased = SQLStatement(
        "find erased person of delivery",
        """
        WITH RECURSIVE numbers (source, app, environment, number) AS (
            SELECT d.source, d.app, d.environment, m.mention
            FROM inbox_deliveries d STRAIGHT_JOIN delivery_mentions m ON m.delivery_id = d.id WHERE d.id = ?
            UNION SELECT n.source, n.app, n.environment, n.target
            FROM numbers k STRAIGHT_JOIN purchase_numbers n ON n.number = k.number
                AND n.source = k.source AND n.app = k.app AND n.environment = k.environment)
        SELECT 1 FROM numbers k
        STRAIGHT_JOIN purchases p ON p.source = k.source AND p.app = k.app AND p.environment = k.environment
            AND p.external_id = k.number
        STRAIGHT_JOIN users u ON u.pseudonym = p.user_id AND u.user_id IS NULL
        UNION ALL SELECT 1 FROM numbers k
        STRAIGHT_JOIN purchases p ON p.source = k.source AND p.app = k.app AND p.environment = k.environment
            AND p.external_id = k.number
        STRAIGHT_JOIN purchase_holders h ON h.purchase_id = p.id
        STRAIGHT_JOIN users u ON u.pseudonym = h.user_id AND u.user_id IS NULL
        UNION ALL SELECT 1 FROM numbers k
        STRAIGHT_JOIN account_tokens a ON a.label = k.number
        STRAIGHT_JOIN users u ON u.pseudonym = a.user_id AND u.user_id IS NULL
        UNION ALL SELECT 1 FROM numbers k
        STRAIGHT_JOIN apple_iap_transactions t ON t.app_transaction_id = k.number
        STRAIGHT_JOIN users u ON u.pseudonym = t.user_id AND u.user_id IS NULL
        LIMIT 1
        """)

    /// The ids of all deliveries that name the person, ascending.
    ///
    /// - Parameters:
    ///   - pseudonym: Nil for a person never seen, whom deliveries may name all the same.
    ///   - name: The label of the user id; nil for a person who is erased and has none.
    ///   - withPast: True to go by the purchases that the person gave away too.
    /// - Throws: When the database is away.
    static func find(
        of pseudonym: UInt64?, named name: Label?, withPast: Bool, in session: Session
    ) throws(DatabaseError) -> [UInt64] {
        let holder = Array(repeating: Value(pseudonym), count: withPast ? 2 : 1)
        var labels = JSONArray()
        if let name { labels.append(name.text) }
        for row in try session.query(withPast ? labelsOfAll : labelsOfPresent, [Value(pseudonym)] + holder) {
            labels.append(try row.text(0))
        }
        var found = Set(
            try session.query(byLabel, [.text(labels.closed)]) { (row) throws(DatabaseError) in try row.uint64(0) })
        var numbers: [[String]: JSONArray] = [:]
        for row in try session.query(withPast ? numbersOfAll : numbersOfPresent, holder) {
            numbers[[try row.text(0), try row.text(1), try row.text(2)], default: JSONArray()].append(try row.text(3))
        }
        for (space, numbers) in numbers {
            let values = [.text(numbers.closed)] + space.map(Value.text)
            found.formUnion(
                try session.query(byNumber, values) { (row) throws(DatabaseError) in try row.uint64(0) })
        }
        return found.sorted()
    }

    /// True if the delivery names somebody who is erased. Throws when the database is away.
    static func nameErased(_ delivery: UInt64, in session: Session) throws(DatabaseError) -> Bool {
        try session.query(namesErased, [.uint64(delivery)]).first != nil
    }
}

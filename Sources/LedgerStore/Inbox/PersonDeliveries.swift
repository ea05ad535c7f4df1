package import Entitlements
import MariaDB

/// The deliveries that name a person: by the user id, a store's customer, an account token, an Apple account, or a
/// number that leads to a purchase of theirs (`semantics.md` §5).
enum PersonDeliveries {
    /// SQL for the purchases that a person has now, under the alias `h`.
    private static let present = "(SELECT id FROM purchases WHERE user_id = ?) h"

    /// SQL for the purchases that a person has or had, under the alias `h`.
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

    /// The store's numbers of `purchases`, and all numbers that lead to them.
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
        FROM \(DeliveryMentionRow.bound)
        STRAIGHT_JOIN delivery_mentions m ON m.mention = j.mention
        """)

    private static let byNumber = SQLStatement(
        "find deliveries by number",
        """
        SELECT d.id
        FROM \(DeliveryMentionRow.bound)
        STRAIGHT_JOIN delivery_mentions m ON m.mention = j.mention
        STRAIGHT_JOIN inbox_deliveries d ON d.id = m.delivery_id AND d.source = ? AND d.app = ? AND d.environment = ?
        """)

    /// Finds the purchases that given deliveries are about, except purchases that another living person has.
    private static let purchases = SQLStatement(
        "find what person's deliveries are about",
        """
        SELECT DISTINCT d.source, d.app, d.environment, d.purchase
        FROM \(JSONArray.ids)
        STRAIGHT_JOIN inbox_deliveries d ON d.id = j.id
        LEFT JOIN \(InboxDeliveryRow.purchaseOfDelivery)
        LEFT JOIN users u ON u.pseudonym = p.user_id
        WHERE d.purchase IS NOT NULL AND (u.user_id IS NULL OR u.pseudonym = ?)
        """)

    /// The people whom a delivery names, and whether each is erased. A delivery names a person in four ways:
    ///
    /// * by a number that leads to a purchase that the person has or had
    /// * by the label of a customer or account token
    /// * by an Apple account
    /// * by its purchase, if another delivery about that purchase has a label of the person
    private static let named = SQLStatement(
        "find people of delivery",
        """
        WITH RECURSIVE numbers (source, app, environment, number) AS (
            SELECT d.source, d.app, d.environment, m.mention
            FROM inbox_deliveries d STRAIGHT_JOIN delivery_mentions m ON m.delivery_id = d.id WHERE d.id = ?
            UNION SELECT n.source, n.app, n.environment, n.target
            FROM numbers k STRAIGHT_JOIN purchase_numbers n ON n.number = k.number
                AND n.source = k.source AND n.app = k.app AND n.environment = k.environment),
        bought (id, owner) AS (
            SELECT p.id, p.user_id FROM numbers k
            STRAIGHT_JOIN purchases p ON p.source = k.source AND p.app = k.app AND p.environment = k.environment
                AND p.external_id = k.number),
        people (pseudonym) AS (
            SELECT owner FROM bought
            UNION SELECT h.user_id FROM bought b STRAIGHT_JOIN purchase_holders h ON h.purchase_id = b.id
            UNION SELECT a.user_id FROM numbers k STRAIGHT_JOIN account_tokens a ON a.label = k.number
            UNION SELECT t.user_id FROM numbers k
            STRAIGHT_JOIN apple_iap_transactions t ON t.app_transaction_id = k.number
            UNION SELECT a.user_id FROM numbers k
            STRAIGHT_JOIN inbox_deliveries o ON o.purchase = k.number AND o.source = k.source AND o.app = k.app
                AND o.environment = k.environment
            STRAIGHT_JOIN delivery_mentions m ON m.delivery_id = o.id
            STRAIGHT_JOIN account_tokens a ON a.label = m.mention)
        SELECT u.pseudonym, u.user_id IS NULL FROM people STRAIGHT_JOIN users u ON u.pseudonym = people.pseudonym
        """)

    private static let otherUser = SQLStatement(
        "find other user of delivery",
        "SELECT 1 FROM delivery_mentions WHERE delivery_id = ? AND mention LIKE 'user:%' AND mention <> ? LIMIT 1")

    /// Finds the deliveries that share a mention with a given delivery and still have a text.
    private static let beside = SQLStatement(
        "find deliveries beside",
        """
        SELECT DISTINCT t.delivery_id FROM delivery_mentions m
        STRAIGHT_JOIN delivery_mentions o ON o.mention = m.mention
        STRAIGHT_JOIN inbox_texts t ON t.delivery_id = o.delivery_id
        WHERE m.delivery_id = ?
        """)

    /// The ids of all deliveries that name the person, in ascending order.
    ///
    /// - Parameters:
    ///   - pseudonym: The person's pseudonym; nil for a person who was never seen here but may stand in deliveries.
    ///   - name: The label of the user id; nil for an erased person.
    ///   - withPast: True to include the purchases that the person gave away.
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
        let told = [.text(JSONArray(found.sorted()).closed), Value(pseudonym)]
        for row in try session.query(withPast ? numbersOfAll : numbersOfPresent, holder)
            + session.query(purchases, told)
        {
            numbers[[try row.text(0), try row.text(1), try row.text(2)], default: JSONArray()].append(try row.text(3))
        }
        for (space, numbers) in numbers {
            let values = [.text(numbers.closed)] + space.map(Value.text)
            found.formUnion(
                try session.query(byNumber, values) { (row) throws(DatabaseError) in try row.uint64(0) })
        }
        return found.sorted()
    }

    /// The ids of all deliveries that name `user`, who need not have been seen here, in ascending order; empty for an
    /// erased user. Throws when the database is away.
    static func find(of user: UserID, under labels: Labels, in session: Session) throws(DatabaseError) -> [UInt64] {
        let name = labels.mention(of: user)
        let pseudonym = try UserRow.pseudonym(of: user, in: session)
        if pseudonym == nil, try AccountTokenRow.holders(of: [name], in: session)[name]?.isErased == true { return [] }
        return try find(of: pseudonym, named: name, withPast: false, in: session)
    }

    /// True if the delivery names an erased person. Throws when the database is away.
    static func nameErased(_ delivery: UInt64, in session: Session) throws(DatabaseError) -> Bool {
        try session.query(named, [.uint64(delivery)]) { (row) throws(DatabaseError) in try row.bool(1) }
            .contains(true)
    }

    /// True if the delivery names another person who is not erased. Throws when the database is away.
    ///
    /// - Parameter name: The label of the user id of the person under `pseudonym`; nil for an erased person.
    static func nameOthers(
        _ delivery: UInt64, than pseudonym: UInt64, named name: Label?, in session: Session
    ) throws(DatabaseError) -> Bool {
        let other = try session.query(otherUser, [.uint64(delivery), .text(name?.text ?? "")])
        guard other.isEmpty else { return true }
        return try session.query(named, [.uint64(delivery)]) { (row) throws(DatabaseError) in
            let (other, isErased) = (try row.uint64(0), try row.bool(1))
            return other != pseudonym && !isErased
        }.contains(true)
    }

    /// Removes the text of a delivery that names an erased person, and the signed texts of the delivery's purchase if
    /// nobody has this purchase. Other deliveries lose their texts too if they share a mention with this delivery and
    /// name an erased person. A pending delivery keeps its text. Throws when the database is away.
    static func removeTextOfErased(_ delivery: UInt64, in session: Session) throws(DatabaseError) {
        guard try nameErased(delivery, in: session) else { return }
        var erased = [delivery]
        let others = try session.query(beside, [.uint64(delivery)]) { (row) throws(DatabaseError) in
            try row.uint64(0)
        }
        for other in others where other != delivery {
            if try nameErased(other, in: session) { erased.append(other) }
        }
        try InboxTextRow.removeTried(of: erased, in: session)
        try SignedTextRow.removeUnowned(of: erased, in: session)
    }
}

extension Labels {
    /// The label by which deliveries mention a user id: `user:` and the HMAC of the id, with a mark between them if it
    /// is an Apple account's.
    package func mention(of user: UserID) -> Label {
        Label((user.isAppleAccount ? Label.appleMention : "user:") + label(.user, user.text).text)
    }

    /// The label of a Stripe customer.
    package func cardCustomer(_ id: String, in environment: StoreEnvironment) -> Label {
        label(.customer, Source.stripe.text, environment.rawValue, id)
    }
}

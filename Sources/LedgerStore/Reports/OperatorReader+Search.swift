package import Entitlements
import MariaDB

/// A thing that a search found: what it is, and whose.
package struct Found: Hashable, Sendable {
    /// The kind of a find; the raw value is written in the API's answers.
    package enum Kind: String, CaseIterable, Sendable {
        case user
        case accountToken = "account_token"
        /// A store's customer, who is a user.
        case customer
        case purchase
        case grant
        case transaction
        /// A store's number that leads to a purchase, such as that of a charge.
        case number
        /// A delivery that has the name or mentions it.
        case delivery
        /// The text has the form of an order number of the App Store. Only Apple knows what it names.
        case order
    }

    package let kind: Kind
    /// The user, or the owner of the purchase. Nil if nobody has the purchase, and for an erased person.
    package let user: UserID?
    /// The account in which the name is one; nil for a user and an account token.
    package var space: NumberSpace?
    package var purchase: ExternalID?
    package var transaction: TransactionID?
    /// The id of the delivery, and the store's id of it.
    package var delivery: UInt64?
    package var notification: String?

    /// The hint that the text has the form of an order number.
    package static let order = Found(kind: .order, user: nil)

    package var key: PurchaseKey? { space.flatMap { space in purchase.map { space.key($0.text) } } }
}

/// The search of operators. Each statement uses an index, and finds a bounded number of things.
extension OperatorReader {
    /// The longest text, in bytes, that a search accepts.
    package static let maximumQueryLength = 255
    /// The most things of one kind that a search finds.
    package static let maximumFound = 100

    private static let usersByPrefix = SQLStatement(
        "find users",
        """
        SELECT user_id FROM users FORCE INDEX (by_user_id) WHERE user_id >= ? AND user_id < ?
        ORDER BY user_id LIMIT ?
        """)

    private static let byPseudonym = SQLStatement("find pseudonym", "SELECT user_id FROM users WHERE pseudonym = ?")

    private static let purchasesByExternalID = SQLStatement(
        "find purchases",
        """
        SELECT \(PurchaseRow.columns), u.user_id
        FROM purchases p LEFT JOIN users u ON u.pseudonym = p.user_id
        WHERE p.external_id = ? ORDER BY p.id LIMIT ?
        """)

    private static let transactionsByID = SQLStatement(
        "find transactions",
        """
        SELECT \(PurchaseRow.columns), u.user_id
        FROM (SELECT DISTINCT purchase_id FROM apple_iap_transactions WHERE transaction_id = ? LIMIT ?) t
        STRAIGHT_JOIN purchases p ON p.id = t.purchase_id
        LEFT JOIN users u ON u.pseudonym = p.user_id
        ORDER BY p.id
        """)

    /// Follows a number to the numbers that it leads to, and finds the purchases among them.
    private static let purchasesByNumber = SQLStatement(
        "find purchases by number",
        """
        WITH RECURSIVE numbers (source, app, environment, number) AS (
            SELECT source, app, environment, target FROM purchase_numbers WHERE number = ?
            UNION SELECT n.source, n.app, n.environment, n.target
            FROM numbers k STRAIGHT_JOIN purchase_numbers n ON n.number = k.number
                AND n.source = k.source AND n.app = k.app AND n.environment = k.environment)
        SELECT \(PurchaseRow.columns), u.user_id
        FROM numbers k
        STRAIGHT_JOIN purchases p ON p.external_id = k.number AND p.source = k.source AND p.app = k.app
            AND p.environment = k.environment
        LEFT JOIN users u ON u.pseudonym = p.user_id
        ORDER BY p.id LIMIT ?
        """)

    /// Finds the newest deliveries that mention one of several names, or have one of two external ids.
    private static let deliveriesByName = SQLStatement(
        "find deliveries by name",
        """
        SELECT d.source, d.app, d.environment, d.purchase, u.user_id, d.id, d.external_id
        FROM (
            SELECT m.delivery_id FROM \(DeliveryMentionRow.bound)
            STRAIGHT_JOIN delivery_mentions m ON m.mention = j.mention
            UNION SELECT id FROM inbox_deliveries FORCE INDEX (by_content) WHERE external_id IN (?, ?)
            ORDER BY delivery_id DESC LIMIT ?) w
        STRAIGHT_JOIN inbox_deliveries d FORCE INDEX (PRIMARY) ON d.id = w.delivery_id
        LEFT JOIN \(InboxDeliveryRow.purchaseOfDelivery)
        LEFT JOIN users u ON u.pseudonym = p.user_id
        ORDER BY d.id DESC
        """)

    /// Everything that `text` names: users whose ids begin with it, a pseudonym behind `#`, an issued account token,
    /// a store's customer, a purchase or grant by its external id, a transaction, a store's number of a purchase, and
    /// deliveries. Of a merged or adopted user also the one into whom they went. Tokens and customers are found by
    /// their labels. Throws when the database is away.
    package func search(_ text: String, under labels: Labels) async throws(ServiceFailure) -> [Found] {
        guard text.utf8.count <= Self.maximumQueryLength, text.utf8.allSatisfy({ $0 < 0x80 }) else { return [] }
        return try await pool.ask { (session) throws(DatabaseError) in
            let (name, limit) = (Value.text(text), Value(Self.maximumFound))
            /// The purchases that `statement` finds. Throws when the database is away.
            func found(
                _ kind: Found.Kind, _ statement: SQLStatement, transaction: TransactionID? = nil
            ) throws(DatabaseError) -> [Found] {
                try session.query(statement, [name, limit]) { (row) throws(DatabaseError) in
                    let key = try Self.key(row)
                    return Found(
                        kind: kind == .purchase && key.source == .manual ? .grant : kind, user: try Self.user(row, 4),
                        space: key.space, purchase: key.externalID, transaction: transaction)
                }
            }
            let customers = StoreEnvironment.allCases.map {
                (label: labels.cardCustomer(text, in: $0), environment: $0)
            }
            let users = try Self.users(text, in: session)
            return try users + Self.receiver(of: text, besides: users, under: labels, in: session)
                + Self.holders(text, customers, under: labels, in: session)
                + found(.purchase, Self.purchasesByExternalID)
                + found(.transaction, Self.transactionsByID, transaction: TransactionID(text))
                + found(.number, Self.purchasesByNumber)
                + Self.deliveries(text, customers.map(\.label), in: session)
        }
    }

    /// The recorded purchases and grants with this external id. Throws when the database is away.
    package func purchases(under id: ExternalID) async throws(ServiceFailure) -> [PurchaseKey] {
        try await pool.ask { (session) throws(DatabaseError) in
            try session.query(Self.purchasesByExternalID, [.text(id.text), Value(Self.maximumFound)], decode: Self.key)
        }
    }

    private static func users(_ text: String, in session: Session) throws(DatabaseError) -> [Found] {
        let rows =
            if UserID(text) != nil {
                // Every character of a user id is below the last one of ASCII.
                try session.query(usersByPrefix, [.text(text), .text(text + "\u{7F}"), Value(maximumFound)])
            } else if let pseudonym = UserID(pseudonym: text)?.pseudonym {
                try session.query(byPseudonym, [.uint64(pseudonym)])
            } else {
                [Row]()
            }
        var users: [Found] = []
        for row in rows { users.append(Found(kind: .user, user: try user(row, 0))) }
        return users
    }

    /// The user into whom the one whose id is `text` was merged, or who adopted that Apple account. None if nobody did,
    /// or `users` has them.
    private static func receiver(
        of text: String, besides users: [Found], under labels: Labels, in session: Session
    ) throws(DatabaseError) -> [Found] {
        guard let name = UserID(text).map({ labels.mention(of: $0) }),
            let holder = try AccountTokenRow.holders(of: [name], in: session)[name], !holder.isErased
        else { return [] }
        let found = Found(kind: .user, user: holder)
        return users.contains(found) ? [] : [found]
    }

    /// The holders of an account token and of a customer, without erased people.
    private static func holders(
        _ text: String, _ customers: [(label: Label, environment: StoreEnvironment)], under labels: Labels,
        in session: Session
    ) throws(DatabaseError) -> [Found] {
        let token = AccountToken(text).map { labels.label(of: $0) }
        let holders = try AccountTokenRow.holders(
            of: Set(customers.map(\.label) + [token].compactMap(\.self)), in: session
        ).filter { !$0.value.isErased }
        let tokens = token.flatMap { holders[$0] }.map { [Found(kind: .accountToken, user: $0)] } ?? []
        return tokens
            + customers.compactMap { label, environment in
                holders[label].map {
                    Found(
                        kind: .customer, user: $0,
                        space: NumberSpace(source: .stripe, app: .cards, environment: environment))
                }
            }
    }

    private static func deliveries(
        _ text: String, _ customers: [Label], in session: Session
    ) throws(DatabaseError) -> [Found] {
        // A label is no name: only texts of the form of a store's number are looked for among the mentions.
        let numbers = isStoreNumber(text) ? [text] : []
        let names = JSONArray(numbers + customers.map(\.text)).closed
        // The App Store writes the UUIDs of its notifications in lower case.
        let ids = [text, text.lowercased()].map(Value.text)
        return try session.query(deliveriesByName, [.text(names)] + ids + [Value(maximumFound)]) {
            (row) throws(DatabaseError) in
            guard let environment = StoreEnvironment(rawValue: try row.text(2)) else { throw row.malformed(2) }
            let space = NumberSpace(
                source: Source(try row.text(0)), app: AppID(try row.text(1)), environment: environment)
            return Found(
                kind: .delivery, user: try user(row, 4), space: space,
                purchase: try row.optionalText(3).map { ExternalID($0) }, delivery: try row.uint64(5),
                notification: try row.text(6))
        }
    }

    /// True for digits, and for a text such as `ch_1`.
    private static func isStoreNumber(_ text: String) -> Bool {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let prefix = text.utf8.prefix { $0 != UInt8(ascii: "_") }
        return text.utf8.allSatisfy(digits.contains)
            || prefix.count < text.utf8.count && prefix.count <= 4
                && prefix.allSatisfy((UInt8(ascii: "a")...UInt8(ascii: "z")).contains)
    }

    private static func key(_ row: Row) throws(DatabaseError) -> PurchaseKey {
        guard let key = try PurchaseRow.key(row, from: 0) else { throw row.malformed(0) }
        return key
    }

    private static func user(_ row: Row, _ column: Int) throws(DatabaseError) -> UserID? {
        try row.optionalText(column).flatMap { UserID($0) }
    }
}

package import Entitlements
import MariaDB

/// A user, an account token, a purchase or a transaction that a search found.
package struct Found: Hashable, Sendable {
    /// The kind of a find; the raw value is written in the API's answers.
    package enum Kind: String, CaseIterable, Sendable {
        case user
        case accountToken = "account_token"
        case purchase
        case transaction
    }

    package let kind: Kind
    /// The user, or the owner of the purchase. Nil for a purchase that nobody has, and for an erased person.
    package let user: UserID?
    package var key: PurchaseKey?
    package var transaction: TransactionID?
}

/// The searches and lists of operators. Each uses an index.
extension OperatorReader {
    private static let keyColumns = PurchaseRow.columns

    private static let purchasesByExternalID = SQLStatement(
        "find purchases",
        """
        SELECT \(keyColumns), u.user_id
        FROM purchases p LEFT JOIN users u ON u.pseudonym = p.user_id
        WHERE p.external_id = ? ORDER BY p.id LIMIT ?
        """)

    private static let transactionsByID = SQLStatement(
        "find transactions",
        """
        SELECT \(keyColumns), u.user_id
        FROM (SELECT DISTINCT purchase_id FROM apple_iap_transactions WHERE transaction_id = ? LIMIT ?) t
        STRAIGHT_JOIN purchases p ON p.id = t.purchase_id
        LEFT JOIN users u ON u.pseudonym = p.user_id
        ORDER BY p.id
        """)

    private static let pageOfStates = SQLStatement(
        "list transactions",
        """
        SELECT t.id, t.recorded_at, u.user_id, t.unreadable, t.statement
        FROM (SELECT id FROM apple_iap_transactions WHERE id < ? ORDER BY id DESC LIMIT ?) j
        STRAIGHT_JOIN apple_iap_transactions t ON t.id = j.id
        LEFT JOIN users u ON u.pseudonym = t.user_id
        ORDER BY t.id DESC
        """)

    private static let byPseudonym = SQLStatement("find pseudonym", "SELECT user_id FROM users WHERE pseudonym = ?")

    /// Everything whose exact name is `text`. A name is a user id, `#` with a pseudonym, a purchase's external id, a
    /// transaction id, or an issued account token. A token is found by its label, which `labels` computes. Throws when
    /// the database is away.
    package func search(_ text: String, under labels: Labels) async throws(ServiceFailure) -> [Found] {
        guard text.utf8.count <= Self.maximumQueryLength, text.utf8.allSatisfy({ $0 < 0x80 }) else { return [] }
        return try await pool.ask { (session) throws(DatabaseError) in
            var found: [Found] = []
            if let user = UserID(text), try UserRow.isKnown(user, in: session) {
                found.append(Found(kind: .user, user: user))
            }
            if let pseudonym = UserID(pseudonym: text)?.pseudonym,
                let row = try session.query(Self.byPseudonym, [.uint64(pseudonym)]).first
            {
                found.append(Found(kind: .user, user: try Self.user(row, 0)))
            }
            if let label = AccountToken(text).map({ labels.label(of: $0) }),
                let user = try AccountTokenRow.holders(of: [label], in: session)[label], !user.isErased
            {
                found.append(Found(kind: .accountToken, user: user))
            }
            let (name, limit) = (Value.text(text), Value(Self.maximumFound))
            found += try session.query(Self.purchasesByExternalID, [name, limit]) { (row) throws(DatabaseError) in
                Found(kind: .purchase, user: try Self.user(row, 4), key: try Self.key(row))
            }
            found += try session.query(Self.transactionsByID, [name, limit]) { (row) throws(DatabaseError) in
                Found(
                    kind: .transaction, user: try Self.user(row, 4), key: try Self.key(row),
                    transaction: TransactionID(text))
            }
            return Array(found.prefix(Self.maximumFound))
        }
    }

    /// Up to `limit` signed states of transactions with ids below `id`, the last recorded first. Throws when the
    /// database is away.
    package func transactions(
        before id: UInt64?, limit: Int
    ) async throws(ServiceFailure) -> [RecordedTransaction] {
        try await pool.ask { (session) throws(DatabaseError) in
            try session.query(Self.pageOfStates, [.uint64(id ?? .max), Value(limit)]) { (row) throws(DatabaseError) in
                RecordedTransaction(
                    id: try row.uint64(0), state: try StateRow.state(row, 4), owner: try Self.user(row, 2),
                    recordedAt: Instant(milliseconds: try row.int64(1)),
                    unreadable: try StateRow.unreadable(row, 3))
            }
        }
    }

    private static func key(_ row: Row) throws(DatabaseError) -> PurchaseKey {
        guard let key = try PurchaseRow.key(row, from: 0) else { throw row.malformed(0) }
        return key
    }

    private static func user(_ row: Row, _ column: Int) throws(DatabaseError) -> UserID? {
        try row.optionalText(column).flatMap { UserID($0) }
    }
}

/// A signed state of a transaction, with its owner and the instant of recording.
package struct RecordedTransaction: Hashable, Sendable {
    /// The row's id. A state that was recorded later has a larger one.
    package let id: UInt64
    package let state: VerifiedPurchase
    package let owner: UserID?
    package let recordedAt: Instant
    /// The names of JSON members whose values this server could not read. They are shown only; no answer uses them.
    package let unreadable: [String]
}

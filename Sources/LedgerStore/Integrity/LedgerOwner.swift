import Entitlements
import MariaDB

/// A row of `users` as the integrity check reads it: the owner of a ledger, and the head at which the ledger should
/// end.
struct LedgerOwner {
    let user: UserID
    let head: UserRow.Head

    private static let columns = "u.pseudonym, u.ledger_length, u.last_recorded_at, u.head_hash, u.user_id"

    private static let byUserID = SQLStatement("find person to check", "SELECT pseudonym FROM users WHERE user_id = ?")

    /// Locks a person. Written by: nothing, because a check only reads.
    private static let lock = SQLStatement(
        "lock person to check", "SELECT \(columns) FROM users u WHERE u.pseudonym = ? FOR UPDATE")

    private static let last = SQLStatement("last person to check", "SELECT MAX(pseudonym) FROM users")

    private static let page = SQLStatement(
        "people to check",
        """
        SELECT u.pseudonym,
            NOT EXISTS (SELECT 1 FROM ledger_entries l WHERE l.user_id = u.pseudonym) AND (
                u.ledger_length > 0 OR EXISTS (SELECT 1 FROM purchases p WHERE p.user_id = u.pseudonym)
                OR EXISTS (SELECT 1 FROM purchase_holders h WHERE h.user_id = u.pseudonym))
        FROM users u WHERE u.pseudonym > ? AND u.pseudonym <= ? ORDER BY u.pseudonym LIMIT ?
        """)

    /// The person in the columns from `first` on. An invalid user id is read as an erased person.
    init(_ row: Row, from first: Int) throws(DatabaseError) {
        let pseudonym = try row.uint64(first)
        user = try row.optionalText(first + 4).flatMap { UserID($0) } ?? .erased(pseudonym: pseudonym)
        head = UserRow.Head(
            pseudonym: pseudonym, length: try row.int(first + 1),
            lastRecordedAt: Instant(milliseconds: try row.int64(first + 2)), hash: try row.bytes(first + 3))
    }

    /// The pseudonym of `user`; nil for a user who was never seen.
    static func pseudonym(of user: UserID, in session: Session) throws(DatabaseError) -> UInt64? {
        if let pseudonym = user.pseudonym { return pseudonym }
        return try session.query(byUserID, [.text(user.text)]).first?.uint64(0)
    }

    /// Locks the person under `pseudonym`, whose ledger then does not change until the transaction ends; nil if there
    /// is no such person.
    static func lock(_ pseudonym: UInt64, in session: Session) throws(DatabaseError) -> LedgerOwner? {
        guard let row = try session.query(lock, [.uint64(pseudonym)]).first else { return nil }
        return try LedgerOwner(row, from: 0)
    }

    /// The highest pseudonym; 0 while there is none.
    static func last(in session: Session) throws(DatabaseError) -> UInt64 {
        try session.query(last).first?.optionalUInt64(0) ?? 0
    }

    /// Up to `limit` people with pseudonyms above `pseudonym` and up to `last`. `isEmptied` is true for a person who
    /// should have entries and has none.
    static func page(
        after pseudonym: UInt64, through last: UInt64, limit: Int, in session: Session
    ) throws(DatabaseError) -> [(pseudonym: UInt64, isEmptied: Bool)] {
        try session.query(page, [.uint64(pseudonym), .uint64(last), Value(limit)]) { (row) throws(DatabaseError) in
            (try row.uint64(0), try row.bool(1))
        }
    }
}

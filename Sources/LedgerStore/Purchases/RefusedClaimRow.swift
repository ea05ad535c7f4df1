import Entitlements
import MariaDB

/// A row of `refused_claims`: a user to whom a purchase was refused although they proved its Apple account
/// (`semantics.md` §5). A user and a purchase have one row, however often the user claims.
enum RefusedClaimRow {
    private static let insert = SQLStatement(
        "keep refused claim",
        """
        INSERT INTO refused_claims (account, app, environment, purchase_id, user_id) VALUES (?, ?, ?, ?, ?)
        ON DUPLICATE KEY UPDATE user_id = user_id
        """)

    private static let byAccount = SQLStatement(
        "read refused claims",
        """
        SELECT u.user_id, COUNT(*)
        FROM refused_claims r
        STRAIGHT_JOIN purchases p ON p.id = r.purchase_id
        STRAIGHT_JOIN users u ON u.pseudonym = r.user_id
        WHERE r.account = ? AND r.app = ? AND r.environment = ? AND NOT p.user_id <=> r.user_id
            AND u.user_id IS NOT NULL
        GROUP BY r.user_id, u.user_id
        ORDER BY r.user_id
        """)

    private static let copy = SQLStatement(
        "copy refused claims",
        """
        INSERT INTO refused_claims (account, app, environment, purchase_id, user_id)
        SELECT account, app, environment, purchase_id, ? FROM refused_claims r WHERE r.user_id = ?
        ON DUPLICATE KEY UPDATE refused_claims.user_id = refused_claims.user_id
        """)

    private static let remove = SQLStatement(
        "remove refused claims", "DELETE FROM refused_claims WHERE user_id = ?")

    /// Hands the claims of a merged guest to another user. Throws when the database refuses a statement or is away.
    static func move(from guest: UInt64, to heir: UInt64, in session: Session) throws(DatabaseError) {
        try session.execute(copy, [.uint64(heir), .uint64(guest)])
        try session.execute(remove, [.uint64(guest)])
    }

    /// Keeps the claims that a batch refused. Throws when the database refuses a statement or is away.
    static func keep(of workspace: Workspace, in session: Session) throws(DatabaseError) {
        var rows: [[Value]] = []
        for (key, user) in workspace.refusedClaims {
            guard let person = workspace.people[user],
                let account = workspace.holdings[key]?.states.lazy.compactMap(\.purchase.account).first
            else { continue }
            rows.append([
                .text(account.text), .text(key.app.text), .text(key.environment.rawValue),
                .uint64(try workspace.row(of: key)), .uint64(person.head.pseudonym),
            ])
        }
        try session.executeBulk(insert, rows)
    }

    /// The users who claimed purchases of the account that they do not have, with the number of these purchases, in the
    /// order in which this server first saw the users. Erased people are left out.
    static func claimants(
        of conflict: AccountConflict, in session: Session
    ) throws(DatabaseError) -> [(user: UserID, purchases: Int)] {
        let account: [Value] = [
            .text(conflict.account.text), .text(conflict.app.text), .text(conflict.environment.rawValue),
        ]
        var claimants: [(user: UserID, purchases: Int)] = []
        for row in try session.query(byAccount, account) {
            guard let user = UserID(try row.text(0)) else { throw row.malformed(0) }
            claimants.append((user, try row.int(1)))
        }
        return claimants
    }
}

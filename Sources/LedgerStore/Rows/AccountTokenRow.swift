import Entitlements
import MariaDB

/// A row of `account_tokens`, the random UUID that names one person to the App Store, or of `merged_tokens`, one that named a guest
/// who was merged into that person.
enum AccountTokenRow {
    private static let holdersByToken = Statement(
        "read token holders",
        """
        SELECT COALESCE(a.token, m.token), u.user_id
        FROM JSON_TABLE(?, '$[*]' COLUMNS (token VARCHAR(32) CHARACTER SET ascii PATH '$')) j
        LEFT JOIN account_tokens a ON a.token = UNHEX(j.token)
        LEFT JOIN merged_tokens m ON m.token = UNHEX(j.token)
        STRAIGHT_JOIN users u ON u.pseudonym = COALESCE(a.user_id, m.user_id)
        WHERE u.user_id IS NOT NULL
        """)

    private static let byUser = Statement(
        "read token",
        "SELECT a.token FROM users u JOIN account_tokens a ON a.user_id = u.pseudonym WHERE u.user_id = ?")

    private static let byPseudonym = Statement(
        "read tokens of person",
        "SELECT token FROM account_tokens WHERE user_id = ? UNION ALL SELECT token FROM merged_tokens WHERE user_id = ?"
    )

    /// By holder and token; the first finds one that was not moved before, the last one that was.
    private static let movements = [
        Statement(
            "merge token",
            """
            INSERT INTO merged_tokens (token, user_id, issued_at)
            SELECT token, ?, issued_at FROM account_tokens WHERE token = ?
            """),
        Statement("move merged token", "UPDATE merged_tokens SET user_id = ? WHERE token = ?"),
    ]

    private static let withdraw = Statement("withdraw merged token", "DELETE FROM account_tokens WHERE token = ?")

    private static let issue = Statement(
        "issue token",
        """
        INSERT INTO account_tokens (user_id, token, issued_at) VALUES (?, ?, ?)
        ON DUPLICATE KEY UPDATE issued_at = issued_at
        RETURNING token
        """)

    /// The users to whom `tokens` were issued, erased ones among them, and, where legacy tokens are decoded, the known users
    /// whom those name.
    static func holders(
        of tokens: Set<AccountToken>, under settings: LedgerSettings, in session: Session
    ) throws(DatabaseError) -> [AccountToken: UserID] {
        guard !tokens.isEmpty else { return [:] }
        var array = JSONArray()
        for token in tokens { array.append(token.description.filter { $0 != "-" }) }
        var holders = try TombstoneRow.holders(
            of: tokens.filter { settings.decodesLegacyTokens || $0.legacyUserID == nil },
            under: settings.tombstoneKey, in: session)
        if settings.decodesLegacyTokens {
            holders.merge(try legacyHolders(of: tokens, in: session)) { _, living in living }
        }
        for row in try session.query(holdersByToken, [.text(array.closed)]) {
            guard let token = AccountToken(bytes: try row.bytes(0)), let user = UserID(try row.text(1)) else {
                continue
            }
            holders[token] = user
        }
        return holders
    }

    private static func legacyHolders(
        of tokens: Set<AccountToken>, in session: Session
    ) throws(DatabaseError) -> [AccountToken: UserID] {
        var holders: [AccountToken: UserID] = [:]
        for token in tokens {
            guard let user = token.legacyUserID, try UserRow.isKnown(user, in: session) else { continue }
            holders[token] = user
        }
        return holders
    }

    /// The token issued to `user`, if one was.
    static func token(of user: UserID, in session: Session) throws(DatabaseError) -> AccountToken? {
        guard let row = try session.query(byUser, [.text(user.text)]).first else { return nil }
        return AccountToken(bytes: try row.bytes(0))
    }

    /// All tokens that name the person, whose lock is held. Throws when the database is away.
    static func tokens(of pseudonym: UInt64, in session: Session) throws(DatabaseError) -> [AccountToken] {
        try session.query(byPseudonym, [.uint64(pseudonym), .uint64(pseudonym)]) { (row) throws(DatabaseError) in
            AccountToken(bytes: try row.bytes(0))
        }.compactMap(\.self)
    }

    /// Makes `token` name the person under `pseudonym`, and frees its holder to be issued another. Repeat is safe. Throws when
    /// the database is away.
    static func move(_ token: AccountToken, to pseudonym: UInt64, in session: Session) throws(DatabaseError) {
        for movement in movements { try session.execute(movement, [.uint64(pseudonym), .bytes(token.bytes)]) }
        try session.execute(withdraw, [.bytes(token.bytes)])
    }

    /// Issues `token` to a person who has none, and returns the one they have.
    static func issue(
        _ token: AccountToken, to pseudonym: UInt64, at now: Instant, in session: Session
    ) throws(DatabaseError) -> AccountToken {
        let rows = try session.query(issue, [.uint64(pseudonym), .bytes(token.bytes), .int64(now.milliseconds)])
        guard let row = rows.first, let issued = AccountToken(bytes: try row.bytes(0)) else {
            throw DatabaseError(.unexpectedCell(column: 0), statement: issue.name)
        }
        return issued
    }
}

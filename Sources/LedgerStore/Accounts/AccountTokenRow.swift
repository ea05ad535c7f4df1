import Entitlements
import MariaDB

/// A row of `account_tokens`: the label of a token or name, and the person whom it names.
///
/// A token is the random UUID that the App Store knows a person by; the UUID itself is stored while the person is
/// there. The labels of stores' customers, and of user ids of erased people, merged guests and Apple accounts that were
/// signed out, have rows without a token.
enum AccountTokenRow {
    /// Finds the people whom labels name: first by rows of `account_tokens`, then by the column `legacy_token` of
    /// `users`.
    private static let holdersByLabel = SQLStatement(
        "read token holders",
        """
        SELECT a.label, u.pseudonym, u.user_id
        FROM JSON_TABLE(?, '$[*]' COLUMNS (
            label VARCHAR(32) CHARACTER SET ascii COLLATE ascii_nopad_bin PATH '$')) j
        STRAIGHT_JOIN account_tokens a ON a.label = j.label
        STRAIGHT_JOIN users u ON u.pseudonym = a.user_id
        UNION ALL
        SELECT u.legacy_token, u.pseudonym, u.user_id
        FROM JSON_TABLE(?, '$[*]' COLUMNS (
            label VARCHAR(32) CHARACTER SET ascii COLLATE ascii_nopad_bin PATH '$')) j
        STRAIGHT_JOIN users u ON u.legacy_token = j.label
        """)

    private static let erased = SQLStatement(
        "find labels of erased people",
        """
        SELECT a.label
        FROM JSON_TABLE(?, '$[*]' COLUMNS (
            label VARCHAR(32) CHARACTER SET ascii COLLATE ascii_nopad_bin PATH '$')) j
        STRAIGHT_JOIN account_tokens a ON a.label = j.label
        STRAIGHT_JOIN users u ON u.pseudonym = a.user_id AND u.user_id IS NULL
        UNION SELECT t.app_transaction_id
        FROM JSON_TABLE(?, '$[*]' COLUMNS (
            label VARCHAR(32) CHARACTER SET ascii COLLATE ascii_nopad_bin PATH '$')) j
        STRAIGHT_JOIN apple_iap_transactions t ON t.app_transaction_id = j.label
        STRAIGHT_JOIN users u ON u.pseudonym = t.user_id AND u.user_id IS NULL
        """)

    private static let byUser = SQLStatement(
        "read token",
        "SELECT a.token FROM users u JOIN account_tokens a ON a.issued_to = u.pseudonym WHERE u.user_id = ?")

    private static let owed = SQLStatement(
        "read owner of purchase without token",
        """
        SELECT \(PurchaseRow.columns), u.user_id FROM purchases p STRAIGHT_JOIN users u ON u.pseudonym = p.user_id
        WHERE p.id = ? AND p.source = 'apple_iap' AND u.user_id IS NOT NULL AND NOT EXISTS (
            SELECT 1 FROM apple_iap_transactions t
            WHERE t.purchase_id = p.id AND (t.app_account_token IS NOT NULL OR t.is_family_shared))
        """)

    private static let labelsByPseudonym = SQLStatement(
        "read tokens of person", "SELECT label FROM account_tokens WHERE user_id = ?")

    private static let move = SQLStatement(
        "move token",
        """
        INSERT INTO account_tokens (label, user_id, issued_at) VALUES (?, ?, ?)
        ON DUPLICATE KEY UPDATE user_id = VALUES(user_id), issued_to = NULL, issued_at = VALUES(issued_at)
        """)

    private static let signOut = SQLStatement(
        "sign out account",
        """
        INSERT INTO account_tokens (label, user_id, issued_at, signed_out_at) VALUES (?, ?, ?, ?)
        ON DUPLICATE KEY UPDATE signed_out_at = GREATEST(COALESCE(signed_out_at, 0), VALUES(signed_out_at))
        """)

    private static let erase = SQLStatement(
        "erase tokens",
        "UPDATE account_tokens SET token = NULL, issued_to = NULL, issued_at = ? WHERE user_id = ?")

    /// The note of an Apple account, read by the primary key.
    static let note = SQLStatement(
        "read account note",
        """
        SELECT u.pseudonym, u.user_id, a.issued_at, a.signed_out_at
        FROM account_tokens a STRAIGHT_JOIN users u ON u.pseudonym = a.user_id WHERE a.label = ?
        """)

    private static let issue = SQLStatement(
        "issue token",
        """
        INSERT INTO account_tokens (label, user_id, issued_to, token, issued_at) VALUES (?, ?, ?, ?, ?)
        ON DUPLICATE KEY UPDATE issued_at = issued_at
        RETURNING token
        """)

    private static let remember = SQLStatement(
        "remember customer",
        """
        INSERT INTO account_tokens (label, user_id, issued_at) VALUES (?, ?, ?)
        ON DUPLICATE KEY UPDATE label = label
        """)

    /// Makes a store's customer under `label` name the person under `pseudonym`, unless the label already names
    /// somebody. Repeat is safe. Throws when the database is away.
    static func remember(
        _ label: Label, as pseudonym: UInt64, at now: Instant, in session: Session
    ) throws(DatabaseError) {
        try session.execute(remember, [.text(label.text), .uint64(pseudonym), .int64(now.milliseconds)])
    }

    /// The people whom the labels name, including erased people. A label may be of an issued token, a legacy token, a
    /// customer or a user id.
    static func holders(of labels: Set<Label>, in session: Session) throws(DatabaseError) -> [Label: UserID] {
        guard !labels.isEmpty else { return [:] }
        var (issued, legacy) = (JSONArray(), JSONArray())
        for label in labels {
            if label.isLegacyToken { legacy.append(label.text) } else { issued.append(label.text) }
        }
        var holders: [Label: UserID] = [:]
        for row in try session.query(holdersByLabel, [.text(issued.closed), .text(legacy.closed)]) {
            let (label, user) = (Label(try row.text(0)), try UserRow.user(row, at: 2, pseudonym: 1))
            // If a user came back under the id of an erased person, the legacy token names that user.
            if holders[label]?.isErased ?? true { holders[label] = user }
        }
        return holders
    }

    /// The elements of `labels` that name an erased person, by a row of `account_tokens` or as an Apple account. Throws
    /// when the database is away.
    static func erased(among labels: Set<Label>, in session: Session) throws(DatabaseError) -> Set<Label> {
        guard !labels.isEmpty else { return [] }
        let array = JSONArray(labels.map(\.text)).closed
        let values = [Value.text(array), .text(array)]
        return Set(try session.query(erased, values) { (row) throws(DatabaseError) in Label(try row.text(0)) })
    }

    /// The token issued to `user`; nil if there is none.
    static func token(of user: UserID, in session: Session) throws(DatabaseError) -> AccountToken? {
        guard let row = try session.query(byUser, [.text(user.text)]).first else { return nil }
        return AccountToken(bytes: try row.bytes(0))
    }

    /// A purchase of the App Store that carries no token and that no family shares, and its owner; nil for any other
    /// purchase, and if no living user has it. Throws when the database is away.
    static func owed(
        for purchase: UInt64, in session: Session
    ) throws(DatabaseError) -> (purchase: PurchaseKey, owner: UserID)? {
        guard let row = try session.query(owed, [.uint64(purchase)]).first,
            let key = try PurchaseRow.key(row, from: 0)
        else { return nil }
        guard let owner = UserID(try row.text(4)) else { throw row.malformed(4) }
        return (key, owner)
    }

    /// The labels of all tokens and customers that name the person, whose row is locked. Throws when the database is
    /// away.
    static func labels(of pseudonym: UInt64, in session: Session) throws(DatabaseError) -> [Label] {
        try session.query(labelsByPseudonym, [.uint64(pseudonym)]) { (row) throws(DatabaseError) in
            Label(try row.text(0))
        }
    }

    /// Makes the token or name under `label` name the person under `pseudonym`. If the token was issued to a user, that
    /// user can then get another one. Repeat is safe. Throws when the database is away.
    static func move(
        _ label: Label, to pseudonym: UInt64, at now: Instant, in session: Session
    ) throws(DatabaseError) {
        try session.execute(move, [.text(label.text), .uint64(pseudonym), .int64(now.milliseconds)])
    }

    /// Writes the tokens and names that a batch moved to another person, and the Apple accounts that it signed out.
    /// Repeat is safe. Throws when the database is away.
    static func write(_ workspace: Workspace, in session: Session) throws(DatabaseError) {
        for token in workspace.movedTokens {
            guard let holder = workspace.tokenHolders[token].flatMap({ workspace.people[$0] }) else { continue }
            try move(token, to: holder.head.pseudonym, at: workspace.now, in: session)
        }
        for (account, user) in workspace.signOuts.sorted(by: { $0.key < $1.key }) {
            guard let person = workspace.people[user] else { continue }
            try signOut(account, of: person.head.pseudonym, at: workspace.now, in: session)
        }
    }

    /// Ends what was made before `now` of the Apple account that `label` mentions. The label names the person under
    /// `pseudonym` if it names nobody yet. Throws when the database is away.
    private static func signOut(
        _ label: Label, of pseudonym: UInt64, at now: Instant, in session: Session
    ) throws(DatabaseError) {
        let instant = Value.int64(now.milliseconds)
        try session.execute(signOut, [.text(label.text), .uint64(pseudonym), instant, instant])
    }

    /// Deletes the token of an erased person, whose row is locked. The labels stay. Throws when the database is away.
    static func erase(of pseudonym: UInt64, at now: Instant, in session: Session) throws(DatabaseError) {
        try session.execute(erase, [.int64(now.milliseconds), .uint64(pseudonym)])
    }

    /// The note of the Apple account that `label` mentions; nil if there is none. Throws when the database is away.
    static func note(under label: Label, in session: Session) throws(DatabaseError) -> AppleAccountNote? {
        guard let row = try session.query(note, [.text(label.text)]).first else { return nil }
        return AppleAccountNote(
            holder: try UserRow.user(row, at: 1, pseudonym: 0), since: Instant(milliseconds: try row.int64(2)),
            signedOutAt: try row.optionalInt64(3).map(Instant.init))
    }

    /// Issues `token` to a person who has none; returns the token that the person then has.
    static func issue(
        _ token: AccountToken, as label: Label, to pseudonym: UInt64, at now: Instant, in session: Session
    ) throws(DatabaseError) -> AccountToken {
        let rows = try session.query(
            issue,
            [
                .text(label.text), .uint64(pseudonym), .uint64(pseudonym), .bytes(token.bytes),
                .int64(now.milliseconds),
            ])
        guard let row = rows.first, let issued = AccountToken(bytes: try row.bytes(0)) else {
            throw DatabaseError(.unexpectedCell(column: 0), statement: issue.name)
        }
        return issued
    }
}

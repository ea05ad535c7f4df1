import Entitlements
import MariaDB

/// A row of `tombstones`: that an account token was an erased person's, as only the server's key can tell.
enum TombstoneRow {
    private static let accountToken = "account_token"

    private static let insert = Statement(
        "bury token",
        """
        INSERT INTO tombstones (kind, hmac, user_id) VALUES (?, ?, ?) ON DUPLICATE KEY UPDATE user_id = VALUES(user_id)
        """)

    private static let byHMAC = Statement(
        "read tombstones",
        """
        SELECT s.hmac, s.user_id
        FROM JSON_TABLE(?, '$[*]' COLUMNS (hmac VARCHAR(64) CHARACTER SET ascii PATH '$')) j
        STRAIGHT_JOIN tombstones s ON s.kind = '\(accountToken)' AND s.hmac = UNHEX(j.hmac)
        """)

    /// Keeps that `tokens` were those of the person under `pseudonym`. Repeat is safe.
    static func bury(
        _ tokens: [AccountToken], of pseudonym: UInt64, under key: TombstoneKey, in session: Session
    ) throws(DatabaseError) {
        try session.executeBulk(
            insert, tokens.map { [.text(accountToken), .bytes(key.tombstone(of: $0)), .uint64(pseudonym)] })
    }

    /// The erased people whose tokens are among `tokens`.
    static func holders(
        of tokens: Set<AccountToken>, under key: TombstoneKey, in session: Session
    ) throws(DatabaseError) -> [AccountToken: UserID] {
        guard !tokens.isEmpty else { return [:] }
        let tokenOf = Dictionary(tokens.map { (key.tombstone(of: $0), $0) }, uniquingKeysWith: { first, _ in first })
        var array = JSONArray()
        for hmac in tokenOf.keys { array.append(hmac.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()) }
        var holders: [AccountToken: UserID] = [:]
        for row in try session.query(byHMAC, [.text(array.closed)]) {
            guard let token = tokenOf[try row.bytes(0)] else { continue }
            holders[token] = .erased(pseudonym: try row.uint64(1))
        }
        return holders
    }
}

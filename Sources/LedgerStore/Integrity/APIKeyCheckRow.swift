import MariaDB

/// An API key as the integrity check reads it: its row of `api_keys`, or an entry of the audit trail about it.
struct APIKeyCheckRow {
    /// The audited act on the key; nil for a row of `api_keys`.
    let action: String?
    /// The key's id; nil for an audit entry whose note is gone.
    let key: UInt64?
    let name: String?
    let scopes: String?
    /// The secret's SHA-256 in hexadecimal digits; nil for an audit entry that creates no key or whose note is gone.
    let secretHash: String?
    /// True for a row of `api_keys` that is revoked.
    let isRevoked: Bool

    private static let all = SQLStatement(
        "read api keys and their entries",
        """
        SELECT NULL, id, name, scopes, LOWER(HEX(secret_hash)), revoked_at IS NOT NULL FROM api_keys
        UNION ALL
        SELECT e.action, CAST(JSON_VALUE(n.details, '$.id') AS UNSIGNED), JSON_VALUE(n.details, '$.name'),
            JSON_VALUE(n.details, '$.scopes'), JSON_VALUE(n.details, '$.secret_hash'), 0
        FROM audit_entries e FORCE INDEX (by_action) LEFT JOIN audit_notes n ON n.entry_id = e.id
        WHERE e.action IN (?, ?)
        """)

    /// All keys, and all audit entries about keys, as of one instant.
    static func load(in session: Session) throws(DatabaseError) -> [APIKeyCheckRow] {
        let actions = [AuditAction.createAPIKey, .revokeAPIKey].map { Value.text($0.text) }
        return try session.query(all, actions) { (row) throws(DatabaseError) in
            APIKeyCheckRow(
                action: try row.optionalText(0), key: try row.optionalUInt64(1), name: try row.optionalText(2),
                scopes: try row.optionalText(3), secretHash: try row.optionalText(4), isRevoked: try row.bool(5))
        }
    }
}

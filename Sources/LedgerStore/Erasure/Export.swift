package import Entitlements
package import MariaDB

/// All that is held of one person, as one JSON document.
package struct Export: Sendable {
    private static let person = Statement(
        "export user",
        """
        SELECT pseudonym, JSON_OBJECT('user_id', user_id, 'pseudonym', pseudonym, 'created_at_ms', created_at)
        FROM users WHERE user_id = ? OR pseudonym = ? AND user_id IS NULL FOR UPDATE
        """)

    /// An erased person is not told by what number somebody has shown a purchase since.
    private static let number = "IF(u.user_id IS NULL, p.external_id, COALESCE(p.known_as, p.external_id))"

    /// A token as people are given it: lower case, `8-4-4-4-12`.
    private static func uuid(_ column: String) -> String {
        [9, 14, 19, 24].reduce("LOWER(HEX(\(column)))") { "INSERT(\($0), \($1), 0, '-')" }
    }

    /// By name of the member; each row is an object.
    private static let members = [
        (
            "account_tokens",
            Statement(
                "export tokens",
                """
                SELECT JSON_OBJECT('token', \(uuid("token")), 'issued_at_ms', issued_at)
                FROM (
                    SELECT user_id, token, issued_at FROM account_tokens
                    UNION ALL SELECT user_id, token, issued_at FROM merged_tokens
                ) a WHERE user_id = ?
                """)
        ),
        (
            "purchases",
            Statement(
                "export purchases",
                """
                SELECT JSON_OBJECT('source', source, 'app', NULLIF(app, ''), 'environment', environment,
                    'external_id', COALESCE(known_as, external_id), 'bound_at_ms', bound_at)
                FROM purchases WHERE user_id = ? ORDER BY id
                """)
        ),
        (
            "transactions",
            Statement(
                "export states",
                """
                SELECT JSON_OBJECT('transaction_id', t.transaction_id,
                    'original_transaction_id', COALESCE(p.known_as, t.original_transaction_id), 'app', t.app, 'environment', t.environment, 'product_id', t.product_id, 'type', t.product_type,
                    'purchased_at_ms', t.purchase_at, 'expires_at_ms', t.expires_at, 'quantity', t.quantity,
                    'family_shared', t.is_family_shared, 'revoked_at_ms', t.revocation_at, 'share', t.share,
                    'app_account_token', \(uuid("t.app_account_token")), 'app_transaction_id', t.app_transaction_id,
                    'signed_at_ms', t.signed_at, 'recorded_at_ms', t.recorded_at, 'unreadable', t.unreadable,
                    'signed_text', CONCAT(COALESCE(h.header, ''), s.jws))
                FROM purchases p STRAIGHT_JOIN apple_iap_transactions t ON t.purchase_id = p.id
                LEFT JOIN signed_texts s ON s.state_id = COALESCE(t.text_of, t.id)
                LEFT JOIN signed_headers h ON h.id = s.header_id
                WHERE p.user_id = ? ORDER BY t.id
                """)
        ),
        (
            "ledger",
            Statement(
                "export entries",
                """
                SELECT JSON_OBJECT('sequence', l.seq, 'recorded_at_ms', l.recorded_at, 'effective_at_ms', l.effective_at,
                    'kind', l.kind, 'source', p.source, 'environment', p.environment, 'external_id', \(number),
                    'transaction_id', IF(u.user_id IS NULL AND p.known_as IS NOT NULL, NULL, t.transaction_id),
                    'signed_at_ms', t.signed_at,
                    'content', JSON_QUERY(l.content, '$'), 'note', JSON_QUERY(l.note, '$'))
                FROM ledger_entries l STRAIGHT_JOIN users u ON u.pseudonym = l.user_id
                LEFT JOIN purchases p ON p.id = l.purchase_id
                LEFT JOIN apple_iap_transactions t ON t.id = l.state_id
                WHERE l.user_id = ? ORDER BY l.seq
                """)
        ),
        (
            "subscriptions",
            Statement(
                "export projection",
                """
                SELECT JSON_OBJECT('source', s.source, 'environment', s.environment, 'external_id', \(number),
                    'product_id', s.product_id, 'tier', s.tier, 'starts_at_ms', s.starts_at,
                    'expires_at_ms', s.expires_at)
                FROM subscriptions s STRAIGHT_JOIN users u ON u.pseudonym = s.user_id
                STRAIGHT_JOIN purchases p ON p.id = s.purchase_id
                WHERE s.user_id = ? ORDER BY s.purchase_id
                """)
        ),
        (
            "idempotency_keys",
            Statement(
                "export requests",
                """
                SELECT JSON_OBJECT('key', idempotency_key, 'status', status, 'created_at_ms', created_at,
                    'expires_at_ms', expires_at)
                FROM idempotency_keys WHERE owner = CONCAT('user:', ?) ORDER BY idempotency_key
                """)
        ),
        (
            "audit",
            Statement(
                "export audit entries",
                """
                SELECT JSON_OBJECT('number', e.id, 'at_ms', e.at, 'actor', e.actor, 'action', e.action,
                    'details', JSON_QUERY(n.details, '$'), 'reason', n.reason)
                FROM audit_entries e LEFT JOIN audit_notes n ON n.entry_id = e.id
                WHERE e.subject = ? ORDER BY e.id
                """)
        ),
    ]

    private let pool: Pool

    package init(pool: Pool) {
        self.pool = pool
    }

    /// A JSON object: the person, and a list for each kind of thing that is held; nil for one never seen. Read at one instant,
    /// under the person's lock. Throws when the database is away.
    package func document(of user: UserID) async throws(DatabaseError) -> String? {
        try await pool.transaction { (session) throws(DatabaseError) in
            let name: Value = user.isErased ? .null : .text(user.text)
            guard let row = try session.query(Self.person, [name, Value(user.pseudonym)]).first else { return nil }
            let pseudonym = try row.uint64(0)
            var document = "{\"user\":" + (try row.text(1))
            for (name, statement) in Self.members {
                let rows = try session.query(statement, [.uint64(pseudonym)]) { (row) throws(DatabaseError) in
                    try row.text(0)
                }
                document += ",\"\(name)\":[" + rows.joined(separator: ",") + "]"
            }
            return document + "}"
        }
    }
}

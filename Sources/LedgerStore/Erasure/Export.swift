package import Entitlements
package import MariaDB

/// All data about one person, as a JSON document.
package struct Export: Sendable {
    /// Locks a person. Written by: nothing, because an export only reads.
    private static let person = SQLStatement(
        "export user",
        """
        SELECT pseudonym, JSON_OBJECT('user_id', user_id, 'pseudonym', pseudonym, 'created_at_ms', created_at)
        FROM users WHERE user_id = ? OR pseudonym = ? AND user_id IS NULL FOR UPDATE
        """)

    /// SQL that writes a token as a UUID in lower case, `8-4-4-4-12`.
    private static func uuid(_ column: String) -> String {
        [9, 14, 19, 24].reduce("LOWER(HEX(\(column)))") { "INSERT(\($0), \($1), 0, '-')" }
    }

    private static let deliveries = SQLStatement(
        "export deliveries",
        """
        SELECT JSON_OBJECT('source', d.source, 'app', d.app, 'environment', d.environment,
            'external_id', d.external_id, 'type', d.type, 'subtype', d.subtype, 'signed_at_ms', d.signed_at,
            'received_at_ms', d.received_at, 'state', d.state, 'reason', d.reason,
            'text', IF(j.others, NULL, \(InboxTextRow.text)))
        FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$[0]', others BOOLEAN PATH '$[1]')) j
        STRAIGHT_JOIN inbox_deliveries d ON d.id = j.id
        LEFT JOIN (\(InboxTextRow.table)) ON t.delivery_id = d.id
        ORDER BY d.id
        """)

    /// The members of the document, by name; each row of a member is a JSON object.
    private static let members = [
        (
            "account_tokens",
            SQLStatement(
                "export tokens",
                """
                SELECT JSON_OBJECT('token', \(uuid("token")), 'label', label, 'issued_at_ms', issued_at,
                    'signed_out_at_ms', signed_out_at)
                FROM account_tokens WHERE user_id = ?
                """)
        ),
        (
            "purchases",
            SQLStatement(
                "export purchases",
                """
                SELECT JSON_OBJECT('source', source, 'app', NULLIF(app, ''), 'environment', environment,
                    'external_id', external_id, 'bound_at_ms', bound_at)
                FROM purchases WHERE user_id = ? ORDER BY id
                """)
        ),
        (
            "transactions",
            SQLStatement(
                "export states",
                """
                SELECT JSON_OBJECT('transaction_id', t.transaction_id,
                    'original_transaction_id', t.original_transaction_id,
                    'web_order_line_item_id', t.web_order_line_item_id, 'app', t.app, 'environment', t.environment,
                    'product_id', t.product_id, 'type', t.product_type, 'subscription_group', t.subscription_group,
                    'purchased_at_ms', t.purchase_at, 'expires_at_ms', t.expires_at, 'quantity', t.quantity,
                    'family_shared', t.is_family_shared, 'reason', t.reason, 'storefront', t.storefront,
                    'storefront_id', t.storefront_id, 'price_milliunits', t.price, 'currency', t.currency,
                    'offer', t.offer, 'offer_type', t.offer_type, 'offer_discount_type', t.offer_discount_type,
                    'offer_period', t.offer_period, 'billing_plan_type', t.billing_plan_type,
                    'revoked_at_ms', t.revocation_at, 'revocation_reason', t.revocation_reason,
                    'revocation_type', t.revocation_type, 'revocation_percentage', t.revocation_percentage,
                    'share', t.share,
                    'app_account_token', t.app_account_token, 'app_transaction_id', t.app_transaction_id,
                    'signed_at_ms', t.signed_at, 'recorded_at_ms', t.recorded_at, 'unreadable', t.unreadable,
                    'signed_text', CONCAT(COALESCE(h.header, ''), s.jws))
                FROM purchases p STRAIGHT_JOIN apple_iap_transactions t ON t.purchase_id = p.id
                LEFT JOIN signed_texts s ON s.state_id = COALESCE(t.text_of, t.id)
                LEFT JOIN signed_headers h ON h.id = s.header_id
                WHERE p.user_id = ? ORDER BY t.id
                """)
        ),
        (
            "numbers",
            SQLStatement(
                "export numbers",
                """
                SELECT JSON_OBJECT('source', n.source, 'environment', n.environment, 'number', n.number,
                    'purchase', n.target, 'transaction_id', n.transaction_id)
                FROM purchases p STRAIGHT_JOIN purchase_numbers n ON n.target = p.external_id AND n.source = p.source
                    AND n.app = p.app AND n.environment = p.environment AND n.transaction_id <> ''
                WHERE p.user_id = ? ORDER BY n.number, n.transaction_id
                """)
        ),
        (
            "payments",
            SQLStatement(
                "export amounts",
                """
                \(PaymentAmountRow.walk(
                    from: "(SELECT id n, source, app, environment, external_id FROM purchases WHERE user_id = ?) b"))
                SELECT JSON_OBJECT('source', a.source, 'environment', a.environment, 'number', a.number,
                    'kind', a.kind, 'pays_for', a.target, 'paid', a.paid, 'refunded', a.refunded,
                    'unit', IF(a.is_raw, 'raw', 'milliunits'), 'currency', a.currency, 'made_at_ms', a.made_at,
                    'told_at_ms', a.told_at)
                FROM (SELECT DISTINCT source, app, environment, number FROM w) w
                STRAIGHT_JOIN \(PaymentAmountRow.ofWalk) ORDER BY a.made_at, a.number
                """)
        ),
        (
            "ledger",
            SQLStatement(
                "export entries",
                """
                SELECT JSON_OBJECT('sequence', l.seq, 'recorded_at_ms', l.recorded_at,
                    'effective_at_ms', l.effective_at, 'kind', l.kind, 'content', JSON_QUERY(l.content, '$'),
                    'note', JSON_QUERY(n.content, '$'))
                FROM ledger_entries l LEFT JOIN notes n ON n.digest = l.note_digest
                WHERE l.user_id = ? ORDER BY l.seq
                """)
        ),
        (
            "subscriptions",
            SQLStatement(
                "export projection",
                """
                SELECT JSON_OBJECT('source', s.source, 'environment', s.environment, 'external_id', s.external_id,
                    'product_id', s.product_id, 'tier', s.tier, 'starts_at_ms', s.starts_at,
                    'expires_at_ms', s.expires_at)
                FROM subscriptions s WHERE s.user_id = ? ORDER BY s.purchase_id
                """)
        ),
        (
            "history_walks",
            SQLStatement(
                "export history walks",
                """
                SELECT JSON_OBJECT('app', w.app, 'environment', w.environment, 'transaction_id', w.transaction_id,
                    'asked_at_ms', w.asked_at, 'answered_at_ms', w.answered_at, 'recovered', w.recovered)
                FROM history_walks w WHERE w.user_id = ? ORDER BY w.app, w.environment, w.account
                """)
        ),
        (
            "consumption_requests",
            SQLStatement(
                "export consumption requests",
                """
                SELECT JSON_OBJECT('app', r.app, 'environment', r.environment, 'transaction_id', r.transaction_id,
                    'purchase', r.purchase, 'asked_at_ms', r.asked_at, 'deadline_ms', r.deadline,
                    'consent', r.consent, 'decided_at_ms', r.decided_at, 'reason', r.silence,
                    'delivered', r.is_delivered, 'share', r.share, 'refund_preference', r.preference,
                    'sample_content_provided', r.provides_samples, 'refusal', r.refusal)
                FROM consumption_requests r WHERE r.user_id = ? ORDER BY r.id
                """)
        ),
        (
            "refused_claims",
            SQLStatement(
                "export refused claims",
                """
                SELECT JSON_OBJECT('app', r.app, 'environment', r.environment, 'purchase', p.external_id)
                FROM refused_claims r STRAIGHT_JOIN purchases p ON p.id = r.purchase_id
                WHERE r.user_id = ? ORDER BY r.purchase_id
                """)
        ),
        (
            "lookups",
            SQLStatement(
                "export lookups",
                """
                SELECT JSON_OBJECT('app', NULLIF(l.app, ''), 'transaction_id', l.transaction_id,
                    'environment', l.environment, 'asked_at_ms', l.asked_at, 'answered_at_ms', l.answered_at,
                    'with_proof', l.is_proven, 'unknown', l.is_unknown)
                FROM lookups l WHERE l.user_id = ? ORDER BY l.transaction_id
                """)
        ),
        (
            "audit",
            SQLStatement(
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
    private let labels: Labels

    package init(pool: Pool, labels: Labels) {
        self.pool = pool
        self.labels = labels
    }

    /// The export of a person as a JSON object: the member `user`, and a list for each kind of data. Nil for a user who
    /// was never seen. Everything is read at one instant, under the person's lock. Throws when the database is away.
    package func document(of user: UserID) async throws(ServiceFailure) -> String? {
        try await pool.commit { (session) throws(DatabaseError) in
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
            let label = user.isErased ? nil : labels.mention(of: user)
            var ids = JSONArray()
            for id in try PersonDeliveries.find(of: pseudonym, named: label, withPast: false, in: session) {
                // A text that names another person too is not exported.
                let hasOthers = try PersonDeliveries.nameOthers(
                    id, than: pseudonym, named: label, in: session)
                ids.append([id, hasOthers ? 1 : 0])
            }
            let deliveries = try session.query(Self.deliveries, [.text(ids.closed)]) { (row) throws(DatabaseError) in
                try row.text(0)
            }
            return document + ",\"deliveries\":[" + deliveries.joined(separator: ",") + "]}"
        }
    }
}

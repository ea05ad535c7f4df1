import MariaDB
import Support

/// Recounts from the tables alone what must hold of some users, apart from the product's code.
struct EndToEndRecount {
    private let schema: TestSchema

    init(_ schema: TestSchema) {
        self.schema = schema
    }

    private static let people = "(SELECT pseudonym FROM users WHERE user_id LIKE ?)"

    /// Each counts what must not be; the one parameter says whose.
    private static let violations = [
        "a purchase has not one owner": """
        SELECT COUNT(*) FROM (
            SELECT p.id, u.pseudonym, u.pseudonym = p.user_id AS owns,
                COALESCE(SUM(l.kind = 'bound') + SUM(l.kind = 'received') - SUM(l.kind = 'gave_away'), 0) AS has
            FROM users u JOIN purchases p ON p.source = 'apple_iap'
            LEFT JOIN ledger_entries l ON l.purchase_id = p.id AND l.user_id = u.pseudonym
            WHERE u.user_id LIKE ? GROUP BY p.id, u.pseudonym) h WHERE h.has <> COALESCE(h.owns, 0)
        """,
        "a purchase was bound twice": """
        SELECT COUNT(*) FROM purchases p WHERE p.source = 'apple_iap' AND p.user_id IN \(people)
            AND (SELECT COUNT(*) FROM ledger_entries l WHERE l.purchase_id = p.id AND l.kind = 'bound') <> 1
        """,
        "both ledgers of a handover do not agree": """
        SELECT COUNT(*) FROM (SELECT purchase_id, effective_at, content FROM ledger_entries
            WHERE kind IN ('gave_away', 'received') AND user_id IN \(people) GROUP BY purchase_id, effective_at, content
            HAVING SUM(kind = 'gave_away') <> SUM(kind = 'received')) h
        """,
        "draws do not add up": """
        SELECT COUNT(*) FROM ledger_entries l WHERE l.user_id IN \(people) AND l.kind IN ('spent', 'reserved') AND
            CAST(JSON_VALUE(l.content, IF(l.kind = 'spent', '$[4]', '$[5]')) AS INT) <>
            (SELECT SUM(d.units) FROM JSON_TABLE(JSON_EXTRACT(l.content, IF(l.kind = 'spent', '$[5]', '$[7]')), '$[*]'
                COLUMNS (units BIGINT PATH '$[1]')) d)
        """,
        "recording times do not increase": """
        SELECT COUNT(*) FROM (SELECT recorded_at - LAG(recorded_at) OVER (PARTITION BY user_id ORDER BY seq) AS step
            FROM ledger_entries WHERE user_id IN \(people)) s WHERE s.step <= 0
        """,
        "an idempotency key had two effects": """
        SELECT COUNT(*) FROM (SELECT user_id, JSON_VALUE(content, IF(kind = 'spent', '$[0]', '$[1]')) AS used
            FROM ledger_entries WHERE user_id IN \(people) AND kind IN ('spent', 'reserved')
            GROUP BY 1, 2 HAVING COUNT(*) > 1) k
        """,
        "a reservation ended twice": """
        SELECT COUNT(*) FROM (SELECT user_id, JSON_VALUE(content, '$[0]') AS id FROM ledger_entries
            WHERE user_id IN \(people) AND kind IN ('committed', 'released') GROUP BY 1, 2 HAVING COUNT(*) > 1) k
        """,
        "a state stands twice in a ledger": """
        SELECT COUNT(*) FROM (SELECT user_id, state_id FROM ledger_entries
            WHERE user_id IN \(people) AND state_id IS NOT NULL GROUP BY 1, 2 HAVING COUNT(*) > 1) s
        """,
        "an owner's ledger lacks a state": """
        SELECT COUNT(*) FROM apple_iap_transactions t JOIN purchases p ON p.id = t.purchase_id
        WHERE p.user_id IN \(people) AND \(TestSchema.isNoRepeat) AND NOT EXISTS
            (SELECT 1 FROM ledger_entries l WHERE l.state_id = t.id AND l.user_id = p.user_id)
        """,
        "a ledger is not as long as its head says": """
        SELECT COUNT(*) FROM users u WHERE u.user_id LIKE ? AND u.ledger_length <>
            (SELECT COUNT(*) FROM ledger_entries l WHERE l.user_id = u.pseudonym)
        """,
    ]

    /// Lots of credits by id: what they hold, and what refunds and operators took of it.
    private static let lots = """
        SELECT p.external_id, 100 * t.quantity,
            (100 * t.quantity * IF(t.revocation_at IS NULL, 0, t.share) + 50000) DIV 100000
        FROM purchases p JOIN apple_iap_transactions t ON t.purchase_id = p.id
        WHERE t.product_id = 'credits.100' AND p.user_id IN \(people)
            AND t.signed_at = (SELECT MAX(o.signed_at) FROM apple_iap_transactions o WHERE o.purchase_id = p.id)
        UNION ALL
        SELECT p.external_id, CAST(JSON_VALUE(l.content, '$[4]') AS INT),
            IF(EXISTS (SELECT 1 FROM ledger_entries w WHERE w.purchase_id = p.id AND w.kind = 'withdrawn'),
                CAST(JSON_VALUE(l.content, '$[4]') AS INT), 0)
        FROM purchases p JOIN ledger_entries l ON l.purchase_id = p.id AND l.user_id = p.user_id AND l.kind = 'granted'
        WHERE JSON_VALUE(l.content, '$[2]') = 'credits' AND p.user_id IN \(people)
        """

    /// Units drawn of each lot by spends, by what was committed, and by what is reserved for an hour.
    private static let draws = """
        SELECT id, SUM(units) FROM (
            SELECT d.id, d.units FROM ledger_entries l, JSON_TABLE(l.content, '$[5][*]'
                COLUMNS (id VARCHAR(255) PATH '$[0][3]', units BIGINT PATH '$[1]')) d
            WHERE l.kind = 'spent' AND l.user_id IN \(people)
            UNION ALL
            SELECT r.id, CASE e.kind WHEN 'released' THEN 0
                WHEN 'committed' THEN LEAST(r.units, GREATEST(0, CAST(JSON_VALUE(e.content, '$[1]') AS INT) - r.before))
                ELSE r.units END
            FROM (SELECT l.user_id, JSON_VALUE(l.content, '$[0]') AS reservation, d.id, d.units,
                    SUM(d.units) OVER (PARTITION BY l.user_id, l.seq ORDER BY d.place) - d.units AS `before`
                FROM ledger_entries l, JSON_TABLE(l.content, '$[7][*]' COLUMNS (place FOR ORDINALITY,
                    id VARCHAR(255) PATH '$[0][3]', units BIGINT PATH '$[1]')) d
                WHERE l.kind = 'reserved' AND l.user_id IN \(people)) r
            LEFT JOIN ledger_entries e ON e.user_id = r.user_id AND e.kind IN ('committed', 'released')
                AND JSON_VALUE(e.content, '$[0]') = r.reservation) a
        GROUP BY id
        """

    /// What does not hold of the users whose id begins with `prefix`. Throws what the database throws.
    func faults(like prefix: String) async throws -> [String] {
        var faults: [String] = []
        for (name, sql) in Self.violations.sorted(by: { $0.key < $1.key }) {
            let count = try await schema.number(sql, [.text(prefix + "%")])
            if count != 0 { faults.append("\(name): \(count)") }
        }
        return faults
    }

    /// Units left to all of the users together, debts taken off; nil when more was drawn of a lot than it holds.
    /// Throws what the database throws.
    func unitsLeft(like prefix: String) async throws -> Int? {
        let whose = Value.text(prefix + "%")
        var left: [Value: Int] = [:]
        var balance = 0
        for lot in try await schema.rows(Self.lots, [whose, whose]) {
            left[lot[0]] = Self.number(lot[1])
            balance += Self.number(lot[1]) - Self.number(lot[2])
        }
        for draw in try await schema.rows(Self.draws, [whose, whose]) {
            let units = Self.number(draw[1])
            guard units <= left[draw[0]] ?? 0 else { return nil }
            balance -= units
        }
        return balance
    }

    /// The credits' part of the users' ledgers, for whoever must find out why something does not hold.
    /// Throws what the database throws.
    func story(like prefix: String) async throws -> String {
        let rows = try await schema.rows(
            """
            SELECT CONCAT_WS(' ', u.user_id, l.seq, l.recorded_at, l.effective_at, l.kind, p.external_id, l.content,
                t.signed_at, t.revocation_at, t.share)
            FROM ledger_entries l JOIN users u ON u.pseudonym = l.user_id LEFT JOIN purchases p ON p.id = l.purchase_id
            LEFT JOIN apple_iap_transactions t ON t.id = l.state_id
            WHERE u.user_id LIKE ? AND l.kind NOT LIKE 'device%' AND COALESCE(t.product_id, '') NOT LIKE '%.30'
            ORDER BY l.recorded_at, l.user_id, l.seq
            """, [.text(prefix + "%")])
        return rows.map { row in
            if case .text(let text) = row[0] { text } else { "" }
        }.joined(separator: "\n")
    }

    private static func number(_ value: Value) -> Int {
        switch value {
        case .int64(let number): Int(number)
        case .uint64(let number): Int(number)
        case .double(let number): Int(number)
        case .text(let text): Int(text) ?? -1
        case .null, .bytes: -1
        }
    }
}

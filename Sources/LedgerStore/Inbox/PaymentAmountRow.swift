import Entitlements
import MariaDB

/// A row of `payment_amounts`: the amounts of a payment, as they were told last under one of its numbers.
enum PaymentAmountRow {
    private static let insert = SQLStatement(
        "keep amount",
        """
        INSERT INTO payment_amounts
            (kind, target, paid, refunded, currency, is_raw, made_at, told_at, number, source, app, environment)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON DUPLICATE KEY UPDATE number = number
        """)

    /// Replaces amounts with newer ones. Of those of one date the larger ones count.
    private static let renew = SQLStatement(
        "renew amount",
        """
        UPDATE payment_amounts
        SET kind = ?, target = ?, paid = ?, refunded = ?, currency = ?, is_raw = ?, made_at = ?, told_at = ?
        WHERE number = ? AND source = ? AND app = ? AND environment = ?
            AND (told_at, refunded, COALESCE(paid, -1)) < (?, ?, ?)
        """)

    /// Stores amounts, unless newer ones are stored under the number. Repeat is safe, in any order. Throws when the
    /// database is away.
    static func keep(_ amount: PaymentAmount, in space: NumberSpace, session: Session) throws(DatabaseError) {
        let values: [Value] = [
            .text(amount.kind.rawValue), Value(amount.target), Value(amount.paid), .int64(amount.refunded),
            Value(amount.currency), Value(amount.isRaw), .int64(amount.madeAt.milliseconds),
            .int64(amount.toldAt.milliseconds), .text(amount.number), .text(space.source.text), .text(space.app.text),
            .text(space.environment.rawValue),
        ]
        guard try session.execute(insert, values) == 0 else { return }
        let order: [Value] = [
            .int64(amount.toldAt.milliseconds), .int64(amount.refunded), .int64(amount.paid ?? -1),
        ]
        try session.execute(renew, values + order)
    }

    /// Walks from purchases to all numbers that lead to them, as the table `w`. `purchases` selects, for each, its
    /// place among them, source, app, environment and external id.
    static func walk(from purchases: String) -> String {
        """
        WITH RECURSIVE w (n, source, app, environment, origin, number) AS (
            SELECT b.n, b.source, b.app, b.environment, b.external_id, b.external_id FROM \(purchases)
            UNION
            SELECT w.n, w.source, w.app, w.environment, w.number, m.number
            FROM w STRAIGHT_JOIN purchase_numbers m FORCE INDEX (by_target) ON m.target = w.number
                AND m.source = w.source AND m.app = w.app AND m.environment = w.environment
            UNION
            SELECT w.n, w.source, w.app, w.environment, w.number, a.number
            FROM w STRAIGHT_JOIN payment_amounts a FORCE INDEX (by_target) ON a.target = w.number
                AND a.source = w.source AND a.app = w.app AND a.environment = w.environment
        )
        """
    }

    /// Joins, as `a`, the amounts of the numbers of `w`.
    static let ofWalk = """
        payment_amounts a ON a.number = w.number AND a.source = w.source AND a.app = w.app
            AND a.environment = w.environment
        """

    private static let byPurchase = SQLStatement(
        "read payments",
        """
        \(walk(from: "JSON_TABLE(?, '$[*]' COLUMNS (\(PurchaseRow.keyColumns))) b"))
        SELECT w.n, w.origin, w.number, a.kind, a.target, a.paid, a.refunded, a.currency, a.is_raw, a.made_at, a.told_at
        FROM w LEFT JOIN \(ofWalk)
        """)

    /// The payments for the purchases of `keys`; a purchase of which no amount is known has no entry. Throws when the
    /// database is away.
    static func payments(
        for keys: [PurchaseKey], in session: Session
    ) throws(DatabaseError) -> [PurchaseKey: [Payment]] {
        guard !keys.isEmpty else { return [:] }
        var steps: [PurchaseKey: [Payment.Step]] = [:]
        for row in try session.query(byPurchase, [.text(PurchaseRow.array(of: keys))]) {
            steps[keys[try row.int(0) - 1], default: []].append(
                Payment.Step(from: try row.text(1), to: try row.text(2), try amount(row)))
        }
        return steps.compactMapValues { steps in steps.contains { $0.amount != nil } ? steps : nil }
            .reduce(into: [:]) { $0[$1.key] = Payment.all(for: $1.key.externalID.text, by: $1.value) }
    }

    private static func amount(_ row: Row) throws(DatabaseError) -> PaymentAmount? {
        guard let word = try row.optionalText(3) else { return nil }
        guard let kind = PaymentAmount.Kind(rawValue: word) else { throw row.malformed(3) }
        return PaymentAmount(
            try row.text(2), kind, of: try row.optionalText(4), paid: try row.optionalInt64(5),
            refunded: try row.int64(6), currency: try row.optionalText(7), isRaw: try row.bool(8),
            madeAt: Instant(milliseconds: try row.int64(9)), toldAt: Instant(milliseconds: try row.int64(10)))
    }
}

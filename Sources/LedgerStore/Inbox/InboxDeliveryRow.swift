import Entitlements
import MariaDB

/// A row of `inbox_deliveries`; the delivery's text is in `inbox_texts`.
enum InboxDeliveryRow {
    private static let insert = SQLStatement(
        "insert delivery",
        """
        INSERT INTO inbox_deliveries
            (source, app, environment, external_id, content_hash, type, subtype, signed_at, received_at, state, reason,
             purchase, takeback)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON DUPLICATE KEY UPDATE id = id
        RETURNING id, state, reason
        """)

    private static let known = SQLStatement(
        "find known deliveries",
        """
        SELECT DISTINCT d.external_id
        FROM JSON_TABLE(?, '$[*]' COLUMNS (
            external_id VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin PATH '$')) j
        STRAIGHT_JOIN inbox_deliveries d
            ON d.source = ? AND d.environment = ? AND d.external_id = j.external_id
        WHERE d.app = ?
        """)

    private static let settle = SQLStatement(
        "settle delivery",
        """
        UPDATE inbox_deliveries SET state = ?, reason = ?, settled_at = ?, purchase = COALESCE(?, purchase),
            takeback = IF(state = 'parked', takeback, NULL)
        WHERE id = ? AND state IN ('parked', 'quarantined')
        """)

    /// Joins, as `p`, the purchase that the delivery `d` is about.
    static let purchaseOfDelivery = """
        purchases p ON p.source = d.source AND p.app = d.app AND p.environment = d.environment
            AND p.external_id = d.purchase
        """

    private static let placeParked = SQLStatement(
        "place parked deliveries",
        """
        UPDATE purchases p STRAIGHT_JOIN inbox_deliveries d ON d.purchase = p.external_id AND d.source = p.source
            AND d.app = p.app AND d.environment = p.environment
        SET d.state = 'applied', d.reason = NULL, d.settled_at = ?
        WHERE p.id = ? AND d.state = 'parked' AND d.reason IN ('no_user', 'invalid_user_id', 'text_gone')
        """)

    private static let lock = SQLStatement(
        "lock deliveries",
        """
        UPDATE \(JSONArray.ids) STRAIGHT_JOIN inbox_deliveries d FORCE INDEX (PRIMARY) ON d.id = j.id
        SET d.touched = NOT d.touched
        """)

    private static let quarantine = SQLStatement(
        "quarantine delivery",
        """
        UPDATE inbox_deliveries SET state = IF(state = 'applied', state, 'quarantined'), reason = 'failed'
        WHERE id = ? AND (reason = 'pending' OR state = 'applied')
        """)

    private static let reopen = SQLStatement(
        "reopen delivery",
        """
        UPDATE inbox_deliveries
        SET reason = IF(state = 'applied', NULLIF(reason, 'failed'), 'pending'),
            settled_at = IF(state = 'applied', settled_at, NULL), state = IF(state = 'applied', state, 'parked')
        WHERE id = ?
        """)

    /// Stores a delivery, its text and its mentions, unless the same content is already there under the same id.
    /// Returns the row's id and outcome. Throws when the database is away.
    static func insert(
        _ delivery: InboxDelivery, header: UInt64?, at now: Instant, in session: Session
    ) throws(DatabaseError) -> StoredDelivery {
        let pending = DeliveryOutcome.pending
        let rows = try session.query(
            insert,
            [
                .text(delivery.source.text), .text(delivery.app.text), .text(delivery.environment.rawValue),
                .text(delivery.externalID), .bytes(delivery.contentDigest),
                .text(brief(delivery.type)), Value(delivery.subtype.map(brief)),
                .int64(delivery.signedAt.milliseconds), .int64(now.milliseconds), .text(pending.result.rawValue),
                Value(pending.reason?.rawValue), Value(delivery.purchase?.text), Value(delivery.takeback),
            ])
        guard let row = rows.first else { throw DatabaseError(.misuse, statement: insert.name) }
        let stored = StoredDelivery(
            id: try row.uint64(0), type: brief(delivery.type), outcome: try outcome(row, at: 1))
        if !stored.outcome.isSettled {
            try InboxTextRow.insert(delivery.text, of: stored.id, header: header, in: session)
            let mentions = delivery.mentions + [delivery.purchase?.text].compactMap(\.self)
            try DeliveryMentionRow.insert(mentions, of: stored.id, in: session)
        }
        return stored
    }

    /// The ids among `externalIDs` that stored deliveries have. Throws when the database is away.
    static func known(
        _ externalIDs: [String], in space: NumberSpace, session: Session
    ) throws(DatabaseError) -> Set<String> {
        var array = JSONArray()
        for id in externalIDs { array.append(id) }
        let values = [array.closed, space.source.text, space.environment.rawValue, space.app.text]
        return Set(try session.query(known, values.map(Value.text)) { (row) throws(DatabaseError) in try row.text(0) })
    }

    /// Writes the outcome of a delivery that is parked or quarantined until now, and the purchase that the delivery
    /// proved to be about. Any other row stays as it is. The text is removed if the delivery names an erased person.
    /// Throws when the database is away.
    static func settle(_ placement: Placement, at now: Instant, in session: Session) throws(DatabaseError) {
        try session.execute(
            settle,
            [
                .text(placement.outcome.result.rawValue), Value(placement.outcome.reason?.rawValue),
                .int64(now.milliseconds), Value(placement.purchase?.text), .uint64(placement.delivery),
            ])
        if let purchase = placement.purchase {
            try DeliveryMentionRow.insert([purchase.text], of: placement.delivery, in: session)
        }
        try PersonDeliveries.removeTextOfErased(placement.delivery, in: session)
    }

    /// Locks the rows of `deliveries` by a change, in ascending order of their ids, until the transaction ends. Throws
    /// when the database is away.
    static func lock(_ deliveries: [UInt64], in session: Session) throws(DatabaseError) {
        try session.execute(lock, [.text(JSONArray(deliveries).closed)])
    }

    /// Settles as applied the parked deliveries that waited for an owner of one of these purchases. `purchases` are ids
    /// of rows. Repeat is safe. Throws when the database is away.
    static func place(of purchases: [UInt64], at now: Instant, in session: Session) throws(DatabaseError) {
        try session.executeEach(placeParked, purchases.map { [.int64(now.milliseconds), .uint64($0)] })
    }

    /// Quarantines a delivery whose tries have all failed. An applied delivery stays applied, and gets the reason
    /// `failed`. Throws when the database is away.
    static func quarantine(_ delivery: UInt64, in session: Session) throws(DatabaseError) {
        try session.execute(quarantine, [.uint64(delivery)])
        try PersonDeliveries.removeTextOfErased(delivery, in: session)
    }

    /// Marks a delivery as pending, so that it is placed again. An applied delivery stays applied, without the reason
    /// `failed`. Repeat is safe. Throws when the database is away.
    static func reopen(_ delivery: UInt64, in session: Session) throws(DatabaseError) {
        try session.execute(reopen, [.uint64(delivery)])
    }

    /// Selects what `recorded` reads of the deliveries `d` in `table`.
    private static func selection(from table: String) -> String {
        """
        SELECT d.id, d.state, d.reason, d.source, d.app, d.environment, d.external_id, d.type, d.subtype, d.signed_at,
            d.received_at, d.settled_at, d.purchase, u.user_id,
            EXISTS (SELECT 1 FROM inbox_deliveries o WHERE o.source = d.source AND o.environment = d.environment
                AND o.external_id = d.external_id AND o.id <> d.id)
        FROM \(table)
        LEFT JOIN \(purchaseOfDelivery)
        LEFT JOIN users u ON u.pseudonym = p.user_id
        """
    }

    private static let one = SQLStatement(
        "read delivery", "\(selection(from: "inbox_deliveries d")) WHERE d.id = ?")

    /// The condition of deliveries that were received before a given one. Ids decide between equal instants.
    private static let isBefore = """
        d.received_at <= (SELECT received_at FROM inbox_deliveries WHERE id = ?)
            AND (d.received_at < (SELECT received_at FROM inbox_deliveries WHERE id = ?) OR d.id < ?)
        """

    /// Up to `limit` deliveries that pass the given filters and were received before the delivery `id`, the last
    /// received first. Throws when the database is away.
    ///
    /// - Parameters:
    ///   - start: The first instant of receipt that passes.
    ///   - end: The first instant of receipt after `start` that does not pass.
    ///   - deliveries: The ids of the deliveries to choose from; nil for all.
    static func page(
        before id: UInt64?, limit: Int, of result: DeliveryResult?, because reason: DeliveryReason?,
        from source: Source?, since start: Instant?, until end: Instant?, among deliveries: [UInt64]?,
        in session: Session
    ) throws(DatabaseError) -> [RecordedDelivery] {
        let possible: [(name: String, condition: String, values: [Value]?)] = [
            ("reason", "d.reason = ?", reason.map { [.text($0.rawValue)] }),
            ("state", "d.state = ?", result.map { [.text($0.rawValue)] }),
            ("source", "d.source = ?", source.map { [.text($0.text)] }),
            ("start", "d.received_at >= ?", start.map { [.int64($0.milliseconds)] }),
            ("end", "d.received_at < ?", end.map { [.int64($0.milliseconds)] }),
            ("cursor", isBefore, id.map { [.uint64($0), .uint64($0), .uint64($0)] }),
        ]
        let filters = possible.filter { $0.values != nil }
        // The index of what is likely to be the rarest of the filters. Left to itself, MariaDB reads half the table
        // where it takes a common value for a rarer one.
        let index =
            switch (reason, result, source) {
            case (.some, _, _): "by_reason"
            case (nil, .applied?, .some), (nil, nil, .some): "by_source_and_time"
            case (nil, .some, _): "by_state"
            case (nil, nil, nil): "by_time"
            }
        let (place, table) =
            deliveries == nil
            ? (index, "inbox_deliveries d FORCE INDEX (\(index))")
            : ("ids", "\(JSONArray.ids) STRAIGHT_JOIN inbox_deliveries d ON d.id = j.id")
        let page = SQLStatement(
            "list deliveries: " + ([place] + filters.map(\.name)).joined(separator: ", "),
            """
            \(selection(from: table)) WHERE \((["TRUE"] + filters.map(\.condition)).joined(separator: " AND "))
            ORDER BY d.received_at DESC, d.id DESC LIMIT ?
            """)
        let ids = deliveries.map { [Value.text(JSONArray($0).closed)] } ?? []
        return try session.query(
            page, ids + filters.flatMap { $0.values ?? [] } + [Value(limit)], decode: recorded)
    }

    /// The delivery with this id; nil if there is none. Throws when the database is away.
    static func read(_ delivery: UInt64, in session: Session) throws(DatabaseError) -> RecordedDelivery? {
        try session.query(one, [.uint64(delivery)], decode: recorded).first
    }

    private static func recorded(_ row: Row) throws(DatabaseError) -> RecordedDelivery {
        guard let environment = StoreEnvironment(rawValue: try row.text(5)) else { throw row.malformed(5) }
        return RecordedDelivery(
            id: try row.uint64(0), outcome: try outcome(row, at: 1), source: Source(try row.text(3)),
            app: AppID(try row.text(4)), environment: environment, externalID: try row.text(6), type: try row.text(7),
            subtype: try row.optionalText(8), signedAt: Instant(milliseconds: try row.int64(9)),
            receivedAt: Instant(milliseconds: try row.int64(10)),
            settledAt: try row.optionalInt64(11).map(Instant.init(milliseconds:)),
            purchase: try row.optionalText(12).map { ExternalID($0) },
            owner: try row.optionalText(13).flatMap { UserID($0) }, isContradicted: try row.bool(14))
    }

    /// The outcome in two columns: the result in `column`, the reason in the next. Throws for a result that is not
    /// known here.
    static func outcome(_ row: Row, at column: Int) throws(DatabaseError) -> DeliveryOutcome {
        guard let result = DeliveryResult(rawValue: try row.text(column)) else { throw row.malformed(column) }
        return DeliveryOutcome(result, because: try row.optionalText(column + 1).flatMap(DeliveryReason.init))
    }

    private static func brief(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.prefix(64)))
    }
}

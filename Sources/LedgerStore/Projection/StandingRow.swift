import Entitlements
import MariaDB

/// A user's row of `standings`, which lists read, and of `standing_answers`, which has the answer to the status.
struct StandingRow: Sendable {
    /// The longest answer that is kept, in bytes. A user may get purchases without end for nothing in the Sandbox, and
    /// each of them would write a longer answer again.
    static let maximumBody = 64 << 10

    let pseudonym: UInt64
    /// The number of entries in the ledger that the standing follows from.
    let length: Int
    let basis: StandingBasis
    let standing: Standing
    let answer: StandingAnswer

    private static let writeStanding = SQLStatement(
        "write standing",
        """
        INSERT INTO standings
            (user_id, state, tier, tier_rank, source, environment, product_id, ends_at, access_ends_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON DUPLICATE KEY UPDATE state = VALUES(state), tier = VALUES(tier), tier_rank = VALUES(tier_rank),
            source = VALUES(source), environment = VALUES(environment), product_id = VALUES(product_id),
            ends_at = VALUES(ends_at), access_ends_at = VALUES(access_ends_at)
        """)

    private static let writeAnswer = SQLStatement(
        "write standing answer",
        """
        INSERT INTO standing_answers
            (user_id, ledger_length, basis, settings, valid_from, valid_until, entity_tag, body)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        ON DUPLICATE KEY UPDATE ledger_length = VALUES(ledger_length), basis = VALUES(basis),
            settings = VALUES(settings), valid_from = VALUES(valid_from), valid_until = VALUES(valid_until),
            entity_tag = VALUES(entity_tag), body = VALUES(body)
        """)

    /// Writes rows, in the order of their key, about people whom the transaction has locked. Throws when the database
    /// refuses a statement or is away.
    static func write(_ rows: [StandingRow], in session: Session) throws(DatabaseError) {
        let rows = rows.sorted { $0.pseudonym < $1.pseudonym }
        try session.executeBulk(writeStanding, rows.map(\.listed))
        try session.executeBulk(writeAnswer, rows.map(\.kept))
    }

    /// The columns of `standings`.
    var listed: [Value] {
        let (status, deciding) = (standing.status, standing.status.deciding?.segment)
        return [
            .uint64(pseudonym), .text(status.state.rawValue), Value(status.tier?.text), Value(status.tierRank),
            Value(deciding?.key.source.text), Value(deciding?.key.environment.rawValue),
            Value(deciding?.productID?.text), Value(status.expiresAt?.milliseconds),
            Value(status.accessExpiresAt?.milliseconds),
        ]
    }

    /// The columns of `standing_answers`.
    private var kept: [Value] {
        [
            .uint64(pseudonym), .uint64(UInt64(length)), .uint64(basis.number), .text(basis.settings),
            .int64(standing.status.at.milliseconds), .int64(standing.holdsUntil.milliseconds),
            .text(answer.entityTag), answer.substance.count <= Self.maximumBody ? .bytes(answer.substance) : .null,
        ]
    }

    /// Reads each user's answer that follows from the present ledger, from the basis and from the settings, and holds
    /// at the instant. It compares the ledger's length and the answer in one snapshot.
    static let find = SQLStatement(
        "read standings",
        """
        SELECT j.n, a.entity_tag, a.body, (SELECT MAX(version) FROM catalog_versions)
        FROM JSON_TABLE(?, '$[*]' COLUMNS (
            n FOR ORDINALITY, user_id VARCHAR(128) CHARACTER SET ascii COLLATE ascii_nopad_bin PATH '$[0]',
            at BIGINT PATH '$[1]')) j
        STRAIGHT_JOIN users u ON u.user_id = j.user_id
        STRAIGHT_JOIN standing_answers a ON a.user_id = u.pseudonym AND a.ledger_length = u.ledger_length
            AND a.basis = ? AND a.settings = ? AND a.valid_from <= j.at AND a.valid_until > j.at
        WHERE a.body IS NOT NULL
        """)

    /// The answers that hold, at the same index as the question; nil where none does. The other value is the number of
    /// the newest catalogue, or nil if no answer holds. Throws when the database is away.
    static func answers(
        to questions: [(user: UserID, at: Instant)], on basis: StandingBasis, in session: Session
    ) throws(DatabaseError) -> (answers: [StandingAnswer?], catalogueVersion: Int?) {
        var array = JSONArray()
        questions.forEach { array.append([$0.user.text, String($0.at.milliseconds)]) }
        var answers = [StandingAnswer?](repeating: nil, count: questions.count)
        var version: Int?
        for row in try session.query(
            find, [.text(array.closed), .uint64(basis.number), .text(basis.settings)])
        {
            answers[try row.int(0) - 1] = StandingAnswer(substance: try row.bytes(2), entityTag: try row.text(1))
            version = try row.optionalInt(3)
        }
        return (answers, version)
    }

    private static let due = SQLStatement(
        "find due standings",
        """
        (SELECT user_id FROM standing_answers FORCE INDEX (by_due) WHERE basis = ? AND valid_until <= ?
        ORDER BY valid_until LIMIT ?)
        UNION ALL
        (SELECT user_id FROM standing_answers FORCE INDEX (by_due) WHERE basis < ? LIMIT ?)
        LIMIT ?
        """)

    /// The pseudonyms of up to `limit` people whose rows have to be made anew: first those whose time is over at
    /// `now`, in the order of their ends, then those on an older basis. Throws when the database is away.
    static func due(
        at now: Instant, on basis: StandingBasis, limit: Int, in session: Session
    ) throws(DatabaseError) -> [UInt64] {
        let (number, limit) = (Value.uint64(basis.number), Value(limit))
        return try session.query(due, [number, .int64(now.milliseconds), limit, number, limit, limit]) {
            (row) throws(DatabaseError) in try row.uint64(0)
        }
    }

    /// The parts of a stored row that decide if another one may take its place.
    struct Stored {
        let length: Int
        let basis: StandingBasis
        let holdsFrom: Instant
        let holdsUntil: Instant
        /// True if the other row, which lists read, is there too.
        let isListed: Bool
    }

    private static let stored = SQLStatement(
        "compare standings",
        """
        SELECT a.user_id, a.ledger_length, a.basis, a.settings, a.valid_from, a.valid_until, s.user_id
        FROM \(JSONArray.ids) STRAIGHT_JOIN standing_answers a ON a.user_id = j.id
        LEFT JOIN standings s ON s.user_id = a.user_id
        """)

    /// The stored rows of the people under `pseudonyms`. Throws when the database is away.
    static func stored(
        of pseudonyms: [UInt64], in session: Session
    ) throws(DatabaseError) -> [UInt64: Stored] {
        var rows: [UInt64: Stored] = [:]
        for row in try session.query(stored, [.text(JSONArray(pseudonyms).closed)]) {
            rows[try row.uint64(0)] = Stored(
                length: try row.int(1),
                basis: StandingBasis(number: try row.uint64(2), settings: try row.text(3)),
                holdsFrom: Instant(milliseconds: try row.int64(4)),
                holdsUntil: Instant(milliseconds: try row.int64(5)), isListed: try !row.isNull(6))
        }
        return rows
    }

    private static let whole = SQLStatement(
        "read whole standing",
        """
        SELECT s.user_id, s.state, s.tier, s.tier_rank, s.source, s.environment, s.product_id, s.ends_at,
            s.access_ends_at, a.user_id, a.ledger_length, a.basis, a.settings, a.valid_from, a.valid_until,
            a.entity_tag, a.body
        FROM \(JSONArray.ids) STRAIGHT_JOIN standing_answers a ON a.user_id = j.id
        LEFT JOIN standings s ON s.user_id = a.user_id
        """)

    /// The columns of both stored rows of each person under `pseudonyms`. Throws when the database is away.
    static func columns(of pseudonyms: [UInt64], in session: Session) throws(DatabaseError) -> [UInt64: [Value]] {
        var columns: [UInt64: [Value]] = [:]
        for row in try session.query(whole, [.text(JSONArray(pseudonyms).closed)]) {
            var values: [Value] = []
            for column in 0..<row.count { values.append(try row.value(column)) }
            columns[try row.uint64(9)] = values
        }
        return columns
    }

    /// The columns of both rows, in the order of the stored ones.
    var columns: [Value] { listed + kept }

    private static let removeListed = SQLStatement(
        "remove standings", "DELETE s FROM \(JSONArray.ids) STRAIGHT_JOIN standings s ON s.user_id = j.id")

    private static let removeKept = SQLStatement(
        "remove standing answers",
        "DELETE a FROM \(JSONArray.ids) STRAIGHT_JOIN standing_answers a ON a.user_id = j.id")

    /// Removes both rows of the people under `pseudonyms`. Throws when the database is away.
    static func remove(of pseudonyms: [UInt64], in session: Session) throws(DatabaseError) {
        guard !pseudonyms.isEmpty else { return }
        let ids = Value.text(JSONArray(pseudonyms).closed)
        try session.execute(removeListed, [ids])
        try session.execute(removeKept, [ids])
    }

    private static let overdue = SQLStatement(
        "count due standings",
        """
        SELECT COUNT(IF(ended, 1, NULL)), COUNT(IF(ended, NULL, 1)), MIN(IF(ended, valid_until, NULL))
        FROM (
            (SELECT valid_until, TRUE ended FROM standing_answers FORCE INDEX (by_due)
            WHERE basis = ? AND valid_until <= ? ORDER BY valid_until LIMIT ?)
            UNION ALL
            (SELECT valid_until, FALSE ended FROM standing_answers FORCE INDEX (by_due) WHERE basis < ? LIMIT ?)
        ) d
        """)

    /// The number of rows whose time is over at `now`, the end of the first of them, and the number of rows on an older
    /// basis, each counted up to `limit`. Throws when the database is away.
    static func overdue(
        at now: Instant, on basis: StandingBasis, limit: Int, in session: Session
    ) throws(DatabaseError) -> OverdueStandings {
        let (number, limit) = (Value.uint64(basis.number), Value(limit))
        let row = try session.query(overdue, [number, .int64(now.milliseconds), limit, number, limit]).first
        return OverdueStandings(
            ended: try row?.int(0) ?? 0, outdated: try row?.int(1) ?? 0,
            since: try row?.optionalInt64(2).map { Instant(milliseconds: $0) })
    }
}

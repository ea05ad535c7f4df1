package import Entitlements
import MariaDB

/// The conditions on the entries in a list of the audit trail. A condition that is nil holds for each entry.
package struct AuditFilter: Hashable, Sendable {
    /// The person whom the act was about, or whom it also concerned; also a pseudonym.
    package var user: UserID?
    /// The actor as the trail names it. For an API key its number is enough, as in `api_key:3`.
    package var actor: String?
    package var action: String?
    /// The first instant that passes.
    package var since: Instant?
    /// The first instant after `since` that does not pass.
    package var until: Instant?

    package init(
        user: UserID? = nil, actor: String? = nil, action: String? = nil, since: Instant? = nil, until: Instant? = nil
    ) {
        self.user = user
        self.actor = actor
        self.action = action
        self.since = since
        self.until = until
    }
}

extension OperatorReader {
    /// Up to `limit` entries of the audit trail that pass `filter` and have ids below `id`, the newest first. A page of
    /// a list with several filters looks at a bounded number of entries, so it may be short or empty although more
    /// follow. Throws when the database is away.
    package func auditEntries(
        _ filter: AuditFilter = AuditFilter(), before id: UInt64?, limit: Int
    ) async throws(ServiceFailure) -> ListPage<AuditEntry> {
        try await pool.ask { (session) throws(DatabaseError) in
            guard let search = try AuditSearch(filter, before: id ?? .max, in: session) else {
                return ListPage(rows: [], next: nil)
            }
            return try search.page(limit: limit, in: session)
        }
    }
}

/// A search in the audit trail: the entries that one index finds, and the conditions that these entries must pass.
private struct AuditSearch {
    private let index: AuditIndex
    /// The values of the columns of the index.
    private let values: [Value]
    /// The ids from which and before which the entries are.
    private let start: UInt64
    private let end: UInt64
    private let actor: String?
    private let action: String?

    /// The search for `filter` among the entries before `id`; nil if no entry can pass.
    init?(_ filter: AuditFilter, before id: UInt64, in session: Session) throws(DatabaseError) {
        // Instants in the trail never go back, so a stretch of time is a stretch of ids.
        let start = try filter.since.map { (at) throws(DatabaseError) in try Self.first(at, in: session) } ?? 0
        guard let start else { return nil }
        let end = try filter.until.map { (at) throws(DatabaseError) in try Self.first(at, in: session) ?? .max }
        (self.start, self.end) = (start, min(id, end ?? .max))
        let actor = try filter.actor.map { (actor) throws(DatabaseError) in try Self.name(of: actor, in: session) }
        if let user = filter.user {
            let known = user.isErased ? user.pseudonym : try UserRow.pseudonym(of: user, in: session)
            guard let pseudonym = known else { return nil }
            (index, values) = (.person, [.uint64(pseudonym), .uint64(pseudonym)])
            (self.actor, action) = (actor, filter.action)
        } else if let actor {
            (index, values) = (.actor, [.text(actor)])
            (self.actor, action) = (nil, filter.action)
        } else if let action = filter.action {
            (index, values) = (.action, [.text(action)])
            (self.actor, self.action) = (nil, nil)
        } else {
            (index, values) = (.all, [])
            (self.actor, action) = (nil, nil)
        }
    }

    /// A page of the entries that pass, and the place of the next page. Throws when the database is away.
    func page(limit: Int, in session: Session) throws(DatabaseError) -> ListPage<AuditEntry> {
        // Without further conditions every entry of the index passes.
        let isSifted = actor != nil || action != nil
        let found = bounds(looking: isSifted ? OperatorReader.rowsGoneOver : limit + 1)
        let sieve = [Value(actor), Value(actor), Value(action), Value(action), Value(limit + 1)]
        let page = ListPage(
            try session.query(index.page, found + sieve, decode: Self.entry), limit: limit, number: \.id)
        guard isSifted, page.next == nil, let floor = try session.query(index.floor, found).first,
            try floor.int(0) == OperatorReader.rowsGoneOver
        else { return page }
        return ListPage(rows: page.rows, next: try floor.optionalUInt64(1))
    }

    private func bounds(looking rows: Int) -> [Value] {
        let bounds = [Value.uint64(end), .uint64(start), Value(rows)]
        return values.isEmpty ? bounds : values.flatMap { [$0] + bounds } + (values.count > 1 ? [Value(rows)] : [])
    }

    private static let firstSince = SQLStatement(
        "find first audit entry since",
        "SELECT id FROM audit_entries FORCE INDEX (by_time) WHERE at >= ? ORDER BY at, id LIMIT 1")

    /// The id of the first entry since `instant`; nil if there is none.
    private static func first(_ instant: Instant, in session: Session) throws(DatabaseError) -> UInt64? {
        try session.query(firstSince, [.int64(instant.milliseconds)]).first?.uint64(0)
    }

    /// The whole name of an actor who may be named as an API key without its name.
    private static func name(of actor: String, in session: Session) throws(DatabaseError) -> String {
        guard actor.hasPrefix(Actor.apiKeyPrefix), let id = UInt64(actor.dropFirst(Actor.apiKeyPrefix.count)),
            let key = try APIKeyRow.read(id, in: session)
        else { return actor }
        return Actor(key).text
    }

    private static func entry(_ row: Row) throws(DatabaseError) -> AuditEntry {
        AuditEntry(
            id: try row.uint64(0), at: Instant(milliseconds: try row.int64(1)), actor: try row.text(2),
            action: try row.text(3), subject: try row.optionalUInt64(4),
            user: try row.optionalText(5).flatMap { UserID($0) }, otherSubject: try row.optionalUInt64(6),
            details: try row.optionalText(7), reason: try row.optionalText(8), hash: try row.bytes(9))
    }
}

/// An index of the trail, in which entries with equal values are in the order of their ids.
private struct AuditIndex {
    /// The statement of a page.
    let page: SQLStatement
    /// The statement that counts the entries that a page looked at, and finds the lowest id.
    let floor: SQLStatement

    static let all = AuditIndex("all", [("PRIMARY", "TRUE")])
    static let actor = AuditIndex("actor", [("by_actor", "actor = ?")])
    static let action = AuditIndex("action", [("by_act", "action = ?")])
    static let person = AuditIndex(
        "person", [("by_subject", "subject = ?"), ("by_other_subject", "other_subject = ?")])

    private init(_ name: String, _ parts: [(index: String, condition: String)]) {
        let selects = parts.map { index, condition in
            """
            (SELECT id FROM audit_entries FORCE INDEX (\(index)) WHERE \(condition) AND id < ? AND id >= ?
                ORDER BY id DESC LIMIT ?)
            """
        }
        let ids =
            parts.count == 1 ? selects[0] : "(\(selects.joined(separator: " UNION ")) ORDER BY id DESC LIMIT ?)"
        page = SQLStatement(
            "list audit entries by " + name,
            """
            SELECT e.id, e.at, e.actor, e.action, e.subject, u.user_id, e.other_subject, n.details, n.reason, e.hash
            FROM \(ids) j
            STRAIGHT_JOIN audit_entries e ON e.id = j.id
            LEFT JOIN audit_notes n ON n.entry_id = e.id
            LEFT JOIN users u ON u.pseudonym = e.subject
            WHERE (? IS NULL OR e.actor = ?) AND (? IS NULL OR e.action = ?)
            ORDER BY e.id DESC LIMIT ?
            """)
        floor = SQLStatement("find floor of audit entries by " + name, "SELECT COUNT(*), MIN(id) FROM \(ids) j")
    }
}

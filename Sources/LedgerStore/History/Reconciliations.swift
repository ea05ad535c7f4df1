package import Entitlements
package import MariaDB

/// A run of `gatepass reconcile apple`: what Apple was asked, and what it showed that this server did not have.
package struct Reconciliation: Hashable, Sendable {
    /// The most purchases that are named in `unlisted`.
    package static let maximumUnlisted = 1_000

    package let id: UInt64
    package let begunAt: Instant
    /// The instant at which it was done; nil while it is at work, and once it was cut off.
    package var endedAt: Instant?
    /// The first instant of what was asked about; nil for all of the past.
    package let since: Instant?
    package let isOfOneUser: Bool
    /// The pseudonym of the last person who was asked about; 0 before the first.
    package var place: UInt64
    /// The number of people who were asked about.
    package var users = 0
    /// The number of notifications that Apple lists and the inbox did not have.
    package var notifications = 0
    /// The number of purchases that came to users.
    package var purchases = 0
    /// The number of statements about purchases that users had: renewals, refunds and states of renewals.
    package var statements = 0
    /// The number of people whose history Apple refused to show.
    package var refused = 0
    /// The original transaction ids of purchases that users have and Apple does not list.
    package var unlisted: [String] = []

    /// The number of things that were missing here: the target is 0.
    package var missed: Int { notifications + purchases + statements }
}

/// The people whom a reconciliation asks about.
package struct ReconciledPeople: Hashable, Sendable {
    package let environment: StoreEnvironment
    package let users: Int
    /// The walks at least: one for each user and app.
    package let walks: Int
}

/// The runs of `gatepass reconcile apple`, and the people whom they ask about.
package struct Reconciliations: Sendable {
    private let pool: Pool
    private let now: @Sendable () -> Instant

    /// - Parameter now: The clock that dates facts.
    package init(pool: Pool, now: @escaping @Sendable () -> Instant) {
        self.pool = pool
        self.now = now
    }

    /// Begins a run, or goes on with the newest one that was cut off in the last seven days. A run about one user
    /// always begins. Throws when the database is away.
    package func begin(
        since: Instant?, ofOneUser isOfOneUser: Bool
    ) async throws(ServiceFailure) -> Reconciliation? {
        let now = now()
        return try await pool.commit { (session) throws(DatabaseError) in
            if !isOfOneUser,
                let open = try ReconciliationRow.open(
                    since: since, begunAfter: now + -7 * Instant.millisecondsPerDay, in: session)
            {
                return open
            }
            return try ReconciliationRow.insert(since: since, isOfOneUser: isOfOneUser, at: now, in: session)
        }
    }

    /// Writes what a run found so far. False if another process goes on with this run. Throws when the database is
    /// away.
    ///
    /// - Parameter place: The place of the run as it was last written.
    package func note(
        _ run: Reconciliation, after place: UInt64, isOver: Bool = false
    ) async throws(ServiceFailure) -> Bool {
        let now = now()
        return try await pool.commit { (session) throws(DatabaseError) in
            try ReconciliationRow.update(run, after: place, endedAt: isOver ? now : nil, in: session)
        }
    }

    /// How many people have purchases of the App Store that came to them from `since` on, by environment. Throws when
    /// the database is away.
    package func people(since: Instant?, user: UserID?) async throws(ServiceFailure) -> [ReconciledPeople] {
        try await pool.ask { (session) throws(DatabaseError) in
            try ReconciliationRow.people(since: since, user: user, in: session)
        }
    }

    /// Up to `limit` people after the pseudonym `place` who have such purchases, in ascending order. Throws when the
    /// database is away.
    package func people(
        after place: UInt64, since: Instant?, user: UserID?, limit: Int
    ) async throws(ServiceFailure) -> [(pseudonym: UInt64, user: UserID)] {
        try await pool.ask { (session) throws(DatabaseError) in
            try ReconciliationRow.people(after: place, since: since, user: user, limit: limit, in: session)
        }
    }
}

extension OperatorReader {
    /// Up to `limit` runs with ids below `id`, the last begun first. Throws when the database is away.
    package func reconciliations(
        before id: UInt64?, limit: Int
    ) async throws(ServiceFailure) -> [Reconciliation] {
        try await pool.ask { (session) throws(DatabaseError) in
            try ReconciliationRow.page(before: id ?? .max, limit: limit, in: session)
        }
    }
}

/// A row of `reconciliations`.
enum ReconciliationRow {
    private static let columns = """
        id, begun_at, ended_at, since_at, is_of_one_user, place, users, notifications, purchases, statements, refused,
            unlisted
        """

    private static let open = SQLStatement(
        "find open reconciliation",
        """
        SELECT \(columns) FROM reconciliations
        WHERE ended_at IS NULL AND NOT is_of_one_user AND since_at <=> ? AND begun_at > ? ORDER BY id DESC LIMIT 1
        """)

    private static let insert = SQLStatement(
        "begin reconciliation",
        """
        INSERT INTO reconciliations (begun_at, since_at, is_of_one_user, unlisted) VALUES (?, ?, ?, '[]')
        RETURNING \(columns)
        """)

    private static let update = SQLStatement(
        "note reconciliation",
        """
        UPDATE reconciliations SET place = ?, users = ?, notifications = ?, purchases = ?, statements = ?, refused = ?,
            unlisted = ?, ended_at = ?
        WHERE id = ? AND place = ? AND ended_at IS NULL
        """)

    private static let page = SQLStatement(
        "list reconciliations", "SELECT \(columns) FROM reconciliations WHERE id < ? ORDER BY id DESC LIMIT ?")

    private static let count = SQLStatement(
        "count people to reconcile",
        """
        SELECT p.environment, COUNT(DISTINCT p.user_id), COUNT(DISTINCT p.user_id, p.app)
        FROM purchases p STRAIGHT_JOIN users u ON u.pseudonym = p.user_id
        WHERE p.source = 'apple_iap' AND p.bound_at >= ? AND u.user_id IS NOT NULL AND (? IS NULL OR u.user_id = ?)
        GROUP BY p.environment
        """)

    private static let next = SQLStatement(
        "find people to reconcile",
        """
        SELECT u.pseudonym, u.user_id FROM users u FORCE INDEX (PRIMARY)
        WHERE u.pseudonym > ? AND u.user_id IS NOT NULL AND EXISTS (
            SELECT 1 FROM purchases p
            WHERE p.user_id = u.pseudonym AND p.source = 'apple_iap' AND p.bound_at >= ?)
        ORDER BY u.pseudonym LIMIT ?
        """)

    private static let one = SQLStatement(
        "find one person to reconcile", "SELECT pseudonym, user_id FROM users WHERE user_id = ? AND pseudonym > ?")

    /// The newest run about everybody that is not over and not too old; nil if there is none. Throws when the database
    /// is away.
    static func open(
        since: Instant?, begunAfter start: Instant, in session: Session
    ) throws(DatabaseError) -> Reconciliation? {
        try session.query(open, [Value(since?.milliseconds), .int64(start.milliseconds)], decode: reconciliation).first
    }

    /// Begins a run. Throws when the database is away.
    static func insert(
        since: Instant?, isOfOneUser: Bool, at now: Instant, in session: Session
    ) throws(DatabaseError) -> Reconciliation? {
        try session.query(
            insert, [.int64(now.milliseconds), Value(since?.milliseconds), Value(isOfOneUser)], decode: reconciliation
        ).first
    }

    /// Writes a run, unless it has gone on or is over. Throws when the database is away.
    static func update(
        _ run: Reconciliation, after place: UInt64, endedAt: Instant?, in session: Session
    ) throws(DatabaseError) -> Bool {
        return try session.execute(
            update,
            [
                .uint64(run.place), Value(run.users), Value(run.notifications), Value(run.purchases),
                Value(run.statements), Value(run.refused), .text(JSONArray(run.unlisted).closed),
                Value(endedAt?.milliseconds),
                .uint64(run.id), .uint64(place),
            ]) > 0
    }

    /// Runs with ids below `id`, the last begun first. Throws when the database is away.
    static func page(
        before id: UInt64, limit: Int, in session: Session
    ) throws(DatabaseError) -> [Reconciliation] {
        try session.query(page, [.uint64(id), Value(limit)], decode: reconciliation)
    }

    /// How many people have purchases of the App Store. Throws when the database is away.
    static func people(
        since: Instant?, user: UserID?, in session: Session
    ) throws(DatabaseError) -> [ReconciledPeople] {
        try session.query(count, [.int64(since?.milliseconds ?? 0), Value(user?.text), Value(user?.text)]) {
            (row) throws(DatabaseError) in
            guard let environment = StoreEnvironment(rawValue: try row.text(0)) else { throw row.malformed(0) }
            return ReconciledPeople(environment: environment, users: try row.int(1), walks: try row.int(2))
        }
    }

    /// The next people who have purchases of the App Store. Throws when the database is away.
    static func people(
        after place: UInt64, since: Instant?, user: UserID?, limit: Int, in session: Session
    ) throws(DatabaseError) -> [(pseudonym: UInt64, user: UserID)] {
        let statement = user == nil ? next : one
        let parameters: [Value] =
            user.map { [.text($0.text), .uint64(place)] }
            ?? [.uint64(place), .int64(since?.milliseconds ?? 0), Value(limit)]
        return try session.query(statement, parameters) { (row) throws(DatabaseError) in
            guard let user = UserID(try row.text(1)) else { throw row.malformed(1) }
            return (pseudonym: try row.uint64(0), user: user)
        }
    }

    private static func reconciliation(_ row: Row) throws(DatabaseError) -> Reconciliation {
        guard case .list(let names)? = JSONField(json: try row.text(11)) else { throw row.malformed(11) }
        var run = Reconciliation(
            id: try row.uint64(0), begunAt: Instant(milliseconds: try row.int64(1)),
            endedAt: try row.optionalInt64(2).map(Instant.init(milliseconds:)),
            since: try row.optionalInt64(3).map(Instant.init(milliseconds:)), isOfOneUser: try row.bool(4),
            place: try row.uint64(5))
        run.users = try row.int(6)
        run.notifications = try row.int(7)
        run.purchases = try row.int(8)
        run.statements = try row.int(9)
        run.refused = try row.int(10)
        run.unlisted = names.compactMap { name in
            guard case .text(let text) = name else { return nil }
            return text
        }
        return run
    }
}

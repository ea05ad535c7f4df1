package import Entitlements
package import MariaDB

/// A reading of Apple's list of notifications of an app in an environment.
package struct NotificationReading: Hashable, Sendable {
    /// The id of the row in `notification_reads`.
    package let id: UInt64
    package let app: AppID
    package let environment: StoreEnvironment
    /// The instant up to which everything was received by earlier readings; the epoch if there was none.
    package let receivedUntil: Instant
    /// The end of this reading.
    package let end: Instant
    /// The place after the last page that was received whole; nil at the start.
    package let token: String?
}

/// How far Apple's lists of notifications were read: once a night, from where the last reading ended (`semantics.md`
/// §6).
package struct NotificationReads: Sendable {
    private let pool: Pool
    private let now: @Sendable () -> Instant
    private let realNow: @Sendable () -> Instant

    /// - Parameters:
    ///   - now: The clock that dates facts; a test may move it.
    ///   - realNow: Real time, which decides when jobs are due.
    package init(
        pool: Pool, now: @escaping @Sendable () -> Instant, realNow: @escaping @Sendable () -> Instant
    ) {
        self.pool = pool
        self.now = now
        self.realNow = realNow
    }

    /// Makes a job for each app and environment whose list is to be read, and returns how many. With them, the walks
    /// that were given up are tried again. A list that was never read is due at `next`. Throws when the database is
    /// away.
    ///
    /// - Parameter next: The instant of the next readings.
    package func makeJobs(of apps: [AppID], next: Instant) async throws(ServiceFailure) -> Int {
        let (now, realNow) = (now(), realNow())
        let known = try await pool.ask { (session) throws(DatabaseError) in try NotificationReadRow.all(in: session) }
        let missing = apps.flatMap { app in StoreEnvironment.allCases.map { NotificationReadRow(app: app, in: $0) } }
            .filter { row in !known.contains { $0.row == row } }
        guard !missing.isEmpty || known.contains(where: { apps.contains($0.row.app) && $0.dueAt <= now }) else {
            return 0
        }
        return try await pool.commit { (session) throws(DatabaseError) in
            try NotificationReadRow.insert(missing, dueAt: next, in: session)
            let due = try NotificationReadRow.take(of: apps, dueAt: now, next: next, in: session)
            for id in due { try JobRow.revive(.notifications, about: id, dueAt: realNow, now: realNow, in: session) }
            if !due.isEmpty { try JobRow.reviveQuestions(at: realNow, in: session) }
            return due.count
        }
    }

    /// The reading that the row `id` stands for. It goes on where an earlier try of it stopped, else it ends now. Nil
    /// if there is no such row. Throws when the database is away.
    package func begin(_ id: UInt64) async throws(ServiceFailure) -> NotificationReading? {
        let now = now()
        return try await pool.commit { (session) throws(DatabaseError) in
            try NotificationReadRow.begin(id, at: now, in: session)
        }
    }

    /// Notes that everything before `token` was received, and keeps the job from other workers for as long as a lease.
    /// Without a token the reading begins again at its first page. Throws when the database is away.
    package func note(_ reading: NotificationReading, at token: String?) async throws(ServiceFailure) {
        let realNow = realNow()
        try await pool.commit { (session) throws(DatabaseError) in
            try NotificationReadRow.move(reading, to: token, in: session)
            try JobRow.hold(.notifications, about: reading.id, until: realNow + Jobs.lease, in: session)
        }
    }

    /// Ends a reading. If it is whole, the next one begins at its end. Throws when the database is away.
    package func end(_ reading: NotificationReading, isWhole: Bool) async throws(ServiceFailure) {
        try await pool.commit { (session) throws(DatabaseError) in
            try NotificationReadRow.end(
                reading, receivedUntil: isWhole ? reading.end : reading.receivedUntil, in: session)
        }
    }
}

/// A row of `notification_reads`: an app in an environment.
struct NotificationReadRow: Hashable {
    let app: AppID
    let environment: StoreEnvironment

    init(app: AppID, in environment: StoreEnvironment) {
        self.app = app
        self.environment = environment
    }

    private static let all = SQLStatement(
        "list notification reads", "SELECT app, environment, due_at FROM notification_reads")

    private static let insert = SQLStatement(
        "add notification read",
        "INSERT INTO notification_reads (app, environment, due_at) VALUES (?, ?, ?) ON DUPLICATE KEY UPDATE id = id")

    /// Locks readings that are due and that nobody else has locked. Written by: `postpone notification read`.
    private static let due = SQLStatement(
        "find due notification reads",
        "SELECT id, app FROM notification_reads WHERE due_at <= ? ORDER BY id FOR UPDATE SKIP LOCKED")

    private static let postpone = SQLStatement(
        "postpone notification read", "UPDATE notification_reads SET due_at = ? WHERE id = ?")

    private static let begin = SQLStatement(
        "begin notification read",
        "UPDATE notification_reads SET reading_until = ?, token = NULL WHERE id = ? AND reading_until IS NULL")

    private static let read = SQLStatement(
        "find notification read",
        "SELECT app, environment, received_until, reading_until, token FROM notification_reads WHERE id = ?")

    private static let move = SQLStatement(
        "move notification read", "UPDATE notification_reads SET token = ? WHERE id = ? AND reading_until = ?")

    private static let end = SQLStatement(
        "end notification read",
        """
        UPDATE notification_reads SET received_until = ?, reading_until = NULL, token = NULL
        WHERE id = ? AND reading_until = ?
        """)

    private static func environment(_ row: Row, _ column: Int) throws(DatabaseError) -> StoreEnvironment {
        guard let environment = StoreEnvironment(rawValue: try row.text(column)) else { throw row.malformed(column) }
        return environment
    }

    /// All rows, and when each is due. Throws when the database is away.
    static func all(in session: Session) throws(DatabaseError) -> [(row: NotificationReadRow, dueAt: Instant)] {
        try session.query(all) { (row) throws(DatabaseError) in
            (
                row: NotificationReadRow(app: AppID(try row.text(0)), in: try environment(row, 1)),
                dueAt: Instant(milliseconds: try row.int64(2))
            )
        }
    }

    /// Inserts rows; a row that is there stays. Throws when the database is away.
    static func insert(
        _ rows: [NotificationReadRow], dueAt: Instant, in session: Session
    ) throws(DatabaseError) {
        guard !rows.isEmpty else { return }
        try session.executeBulk(
            insert, rows.map { [.text($0.app.text), .text($0.environment.rawValue), .int64(dueAt.milliseconds)] })
    }

    /// Takes the rows of `apps` that are due, makes them due again at `next`, and returns their ids. Throws when the
    /// database is away.
    static func take(
        of apps: [AppID], dueAt now: Instant, next: Instant, in session: Session
    ) throws(DatabaseError) -> [UInt64] {
        let rows = try session.query(due, [.int64(now.milliseconds)]) { (row) throws(DatabaseError) in
            (id: try row.uint64(0), app: AppID(try row.text(1)))
        }.filter { apps.contains($0.app) }
        try session.executeEach(postpone, rows.map { [.int64(next.milliseconds), .uint64($0.id)] })
        return rows.map(\.id)
    }

    /// The reading of a row, which ends at `now` if none was begun. Throws when the database is away.
    static func begin(
        _ id: UInt64, at now: Instant, in session: Session
    ) throws(DatabaseError) -> NotificationReading? {
        try session.execute(begin, [.int64(now.milliseconds), .uint64(id)])
        return try session.query(read, [.uint64(id)]) { (row) throws(DatabaseError) in
            NotificationReading(
                id: id, app: AppID(try row.text(0)), environment: try environment(row, 1),
                receivedUntil: Instant(milliseconds: try row.int64(2)),
                end: Instant(milliseconds: try row.int64(3)), token: try row.optionalText(4))
        }.first
    }

    /// Notes the place of a reading. Throws when the database is away.
    static func move(
        _ reading: NotificationReading, to token: String?, in session: Session
    ) throws(DatabaseError) {
        try session.execute(move, [Value(token), .uint64(reading.id), .int64(reading.end.milliseconds)])
    }

    /// Ends a reading. Throws when the database is away.
    static func end(
        _ reading: NotificationReading, receivedUntil: Instant, in session: Session
    ) throws(DatabaseError) {
        try session.execute(
            end, [.int64(receivedUntil.milliseconds), .uint64(reading.id), .int64(reading.end.milliseconds)])
    }
}

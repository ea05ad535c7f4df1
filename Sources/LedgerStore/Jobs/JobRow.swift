import Entitlements
import MariaDB

/// A row of `jobs`: work that is done once it is due.
enum JobRow {
    /// Adds a job. A job that is there is written too, even if it stays as it is, so that whoever ends it at the same
    /// time on another node of a cluster looks again.
    private static let insert = SQLStatement(
        "add job",
        """
        INSERT INTO jobs (kind, subject, due_at, created_at) VALUES (?, ?, ?, ?)
        ON DUPLICATE KEY UPDATE due_at = LEAST(due_at, VALUES(due_at)), touched = NOT touched
        """)

    /// Locks jobs that are due and that nobody else has locked. Written by: `lease job`.
    private static let due = SQLStatement(
        "find due jobs",
        """
        SELECT id, subject, attempts, created_at FROM jobs FORCE INDEX (by_kind)
        WHERE kind = ? AND died_at IS NULL AND due_at <= ? ORDER BY due_at LIMIT ? FOR UPDATE SKIP LOCKED
        """)

    private static let lease = SQLStatement(
        "lease job", "UPDATE jobs SET due_at = ?, attempts = attempts + 1 WHERE id = ?")

    private static let hold = SQLStatement(
        "hold job", "UPDATE jobs SET due_at = GREATEST(due_at, ?) WHERE kind = ? AND subject = ? AND died_at IS NULL")

    private static let alive = SQLStatement(
        "find live job", "SELECT 1 FROM jobs WHERE kind = ? AND subject = ? AND died_at IS NULL")

    private static let remove = SQLStatement(
        "remove job", "DELETE FROM jobs WHERE kind = ? AND subject = ?")

    private static let finish = SQLStatement(
        "finish job", "DELETE FROM jobs WHERE id = ? AND attempts = ? AND created_at = ?")

    private static let count = SQLStatement(
        "count live jobs of a kind",
        """
        SELECT COUNT(*) FROM (SELECT 1 FROM jobs FORCE INDEX (by_kind) WHERE kind = ? AND died_at IS NULL LIMIT ?) j
        """)

    /// The instant at which a woken job is due: earlier than all other jobs, so that it is taken first.
    private static let atOnce = Instant(milliseconds: 0)

    private static let postpone = SQLStatement(
        "postpone job", "UPDATE jobs SET due_at = ?, attempts = ? WHERE id = ? AND attempts = ?")

    private static let end = SQLStatement("end job", "UPDATE jobs SET died_at = ? WHERE id = ? AND attempts = ?")

    private static let revive = SQLStatement(
        "revive job",
        """
        INSERT INTO jobs (kind, subject, due_at, created_at) VALUES (?, ?, ?, ?)
        ON DUPLICATE KEY UPDATE due_at = VALUES(due_at), attempts = 0, died_at = NULL, created_at = VALUES(created_at),
            touched = NOT touched
        """)

    /// The kinds of jobs that this version knows. Jobs of other kinds are left to newer servers.
    private static let kinds = JobKind.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")

    private static let reviveQuestions = SQLStatement(
        "revive questions",
        """
        UPDATE jobs SET due_at = ?, created_at = ?, attempts = 0, died_at = NULL
        WHERE kind IN ('history', 'lookup') AND died_at IS NOT NULL
        """)

    private static let recorded = """
        SELECT j.id, j.kind, j.subject, d.source, d.type, d.external_id, j.attempts, j.created_at, j.due_at, j.died_at
        FROM jobs j FORCE INDEX (PRIMARY) LEFT JOIN inbox_deliveries d ON j.kind = 'delivery' AND d.id = j.subject
        """

    private static let page = SQLStatement(
        "list jobs",
        """
        \(recorded)
        WHERE j.id < ? AND j.id >= ? AND (j.died_at IS NOT NULL) = ? AND j.kind IN (\(kinds))
        ORDER BY j.id DESC LIMIT ?
        """)

    private static let one = SQLStatement("read job", "\(recorded) WHERE j.id = ? AND j.kind IN (\(kinds))")

    /// Up to `limit` jobs of a state with ids below `id` and not below `floor`, the last added first. Throws when the
    /// database is away.
    static func page(
        _ state: RecordedJob.State, before id: UInt64, from floor: UInt64, limit: Int, in session: Session
    ) throws(DatabaseError) -> [RecordedJob] {
        let values = [.uint64(id), .uint64(floor), Value(state == .dead), Value(limit)]
        return try session.query(page, values, decode: recorded)
    }

    /// The job with this id; nil if there is none. Throws when the database is away.
    static func read(_ id: UInt64, in session: Session) throws(DatabaseError) -> RecordedJob? {
        try session.query(one, [.uint64(id)], decode: recorded).first
    }

    private static func recorded(_ row: Row) throws(DatabaseError) -> RecordedJob {
        guard let kind = JobKind(rawValue: try row.text(1)) else { throw row.malformed(1) }
        return RecordedJob(
            id: try row.uint64(0), kind: kind, subject: try row.uint64(2),
            source: try row.optionalText(3).map { Source($0) }, type: try row.optionalText(4),
            notification: try row.optionalText(5), attempts: try row.int(6),
            createdAt: Instant(milliseconds: try row.int64(7)), dueAt: Instant(milliseconds: try row.int64(8)),
            diedAt: try row.optionalInt64(9).map(Instant.init(milliseconds:)))
    }

    /// Adds a job. If the job is already there, it becomes due at `dueAt` if that is earlier. Throws when the database
    /// is away.
    static func add(
        _ kind: JobKind, about subject: UInt64, dueAt: Instant, now: Instant, in session: Session
    ) throws(DatabaseError) {
        try session.execute(
            insert,
            [.text(kind.rawValue), .uint64(subject), .int64(dueAt.milliseconds), .int64(now.milliseconds)])
    }

    /// Adds a job, or restarts the job that is there: due before all others, with its tries counted from 0. A job that
    /// a worker has now is restarted too. Throws when the database is away.
    static func wake(
        _ kind: JobKind, about subject: UInt64, now: Instant, in session: Session
    ) throws(DatabaseError) {
        try revive(kind, about: subject, dueAt: atOnce, now: now, in: session)
    }

    /// Adds a job, or restarts the job that is there: due at `dueAt`, with its tries counted from 0. Throws when the
    /// database is away.
    static func revive(
        _ kind: JobKind, about subject: UInt64, dueAt: Instant, now: Instant, in session: Session
    ) throws(DatabaseError) {
        try session.execute(
            revive,
            [.text(kind.rawValue), .uint64(subject), .int64(dueAt.milliseconds), .int64(now.milliseconds)])
    }

    /// Restarts the walks and look-ups that were given up. Throws when the database is away.
    static func reviveQuestions(at now: Instant, in session: Session) throws(DatabaseError) {
        try session.execute(reviveQuestions, [.int64(now.milliseconds), .int64(now.milliseconds)])
    }

    /// True if there is a job of this kind about `subject` that was not given up. Throws when the database is away.
    static func isAlive(
        _ kind: JobKind, about subject: UInt64, in session: Session
    ) throws(DatabaseError) -> Bool {
        try session.query(alive, [.text(kind.rawValue), .uint64(subject)]).first != nil
    }

    /// Makes the job of this kind about `subject` due no earlier than `end`, so that no other worker takes it. Throws
    /// when the database is away.
    static func hold(
        _ kind: JobKind, about subject: UInt64, until end: Instant, in session: Session
    ) throws(DatabaseError) {
        try session.execute(hold, [.int64(end.milliseconds), .text(kind.rawValue), .uint64(subject)])
    }

    /// Takes up to `limit` jobs of a kind that are due at `now`, the longest due first, and leases them until `end`.
    /// Jobs that another instance is taking are skipped. Throws when the database is away.
    static func take(
        _ limit: Int, of kind: JobKind, dueAt now: Instant, until end: Instant, in session: Session
    ) throws(DatabaseError) -> [Job] {
        let rows = try session.query(due, [.text(kind.rawValue), .int64(now.milliseconds), Value(limit)])
        let jobs = try rows.map { (row) throws(DatabaseError) in
            Job(
                id: try row.uint64(0), kind: kind, subject: try row.uint64(1), attempt: try row.int(2) + 1,
                createdAt: Instant(milliseconds: try row.int64(3)))
        }
        try session.executeEach(lease, jobs.map { [.int64(end.milliseconds), .uint64($0.id)] })
        return jobs
    }

    /// Removes the job of this kind about `subject`. Repeat is safe. Throws when the database is away.
    static func remove(_ kind: JobKind, about subject: UInt64, in session: Session) throws(DatabaseError) {
        try session.execute(remove, [.text(kind.rawValue), .uint64(subject)])
    }

    /// Removes a job, unless another worker took it after its lease ran out, or it was restarted meanwhile. Throws when
    /// the database is away.
    static func finish(_ job: Job, in session: Session) throws(DatabaseError) {
        try session.execute(finish, [.uint64(job.id), Value(job.attempt), .int64(job.createdAt.milliseconds)])
    }

    /// The number of jobs of a kind that were not given up, `limit` at most. Throws when the database is away.
    static func count(_ kind: JobKind, upTo limit: Int, in session: Session) throws(DatabaseError) -> Int {
        try session.query(count, [.text(kind.rawValue), Value(limit)]).first?.int(0) ?? 0
    }

    /// Makes a job due again at `dueAt`, unless another worker took it after its lease ran out. If `counts` is false,
    /// this try is not counted. Throws when the database is away.
    static func postpone(
        _ job: Job, until dueAt: Instant, counts: Bool, in session: Session
    ) throws(DatabaseError) {
        try session.execute(
            postpone,
            [
                .int64(dueAt.milliseconds), Value(counts ? job.attempt : job.attempt - 1), .uint64(job.id),
                Value(job.attempt),
            ])
    }

    /// Ends a job, which is then not tried again. False if another worker took it after its lease ran out, or if the
    /// job was removed or restarted meanwhile. Throws when the database is away.
    static func end(_ job: Job, at now: Instant, in session: Session) throws(DatabaseError) -> Bool {
        try session.execute(end, [.int64(now.milliseconds), .uint64(job.id), Value(job.attempt)]) > 0
    }
}

import Entitlements
import MariaDB

/// A row of `jobs`.
enum JobRow {
    private static let insert = SQLStatement(
        "add job",
        """
        INSERT INTO jobs (kind, subject, due_at, created_at) VALUES (?, ?, ?, ?)
        ON DUPLICATE KEY UPDATE due_at = LEAST(due_at, VALUES(due_at))
        """)

    /// A newer server's kinds are its own to do.
    private static let kinds = JobKind.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")

    private static let due = SQLStatement(
        "find due jobs",
        """
        SELECT id, kind, subject, attempts, created_at FROM jobs FORCE INDEX (by_due)
        WHERE died_at IS NULL AND due_at <= ? AND kind IN (\(kinds)) ORDER BY due_at LIMIT ? FOR UPDATE SKIP LOCKED
        """)

    private static let lease = SQLStatement(
        "lease job", "UPDATE jobs SET due_at = ?, attempts = attempts + 1 WHERE id = ?")

    private static let remove = SQLStatement(
        "remove job", "DELETE FROM jobs WHERE kind = ? AND subject = ?")

    /// When a woken job is due, before every lease.
    private static let atOnce = Instant(milliseconds: 0)

    private static let postpone = SQLStatement(
        "postpone job", "UPDATE jobs SET due_at = ?, attempts = ? WHERE id = ? AND attempts = ?")

    private static let end = SQLStatement("end job", "UPDATE jobs SET died_at = ? WHERE id = ? AND attempts = ?")

    private static let revive = SQLStatement(
        "revive job",
        """
        INSERT INTO jobs (kind, subject, due_at, created_at) VALUES (?, ?, ?, ?)
        ON DUPLICATE KEY UPDATE due_at = VALUES(due_at), attempts = 0, died_at = NULL, created_at = VALUES(created_at)
        """)

    /// Adds a job, or makes the one that is there due at `dueAt` if that is earlier. Throws when the database is away.
    static func add(
        _ kind: JobKind, about subject: UInt64, dueAt: Instant, now: Instant, in session: Session
    ) throws(DatabaseError) {
        try session.execute(
            insert,
            [.text(kind.rawValue), .uint64(subject), .int64(dueAt.milliseconds), .int64(now.milliseconds)])
    }

    /// Adds a job that is due before all others, or has the one that is there tried so, also one that a worker has now,
    /// with all its tries. Throws when the database is away.
    static func wake(
        _ kind: JobKind, about subject: UInt64, now: Instant, in session: Session
    ) throws(DatabaseError) {
        try revive(kind, about: subject, dueAt: atOnce, now: now, in: session)
    }

    /// Adds a job, or has the one that is there due at `dueAt`, with all its tries. Throws when the database is away.
    static func revive(
        _ kind: JobKind, about subject: UInt64, dueAt: Instant, now: Instant, in session: Session
    ) throws(DatabaseError) {
        try session.execute(
            revive,
            [.text(kind.rawValue), .uint64(subject), .int64(dueAt.milliseconds), .int64(now.milliseconds)])
    }

    /// Up to `limit` jobs that are due at `now`, the longest due first, leased until `end`. Jobs that another instance
    /// takes at the moment are passed over. Throws when the database is away.
    static func take(
        _ limit: Int, dueAt now: Instant, until end: Instant, in session: Session
    ) throws(DatabaseError) -> [Job] {
        var jobs: [Job] = []
        for row in try session.query(due, [.int64(now.milliseconds), Value(limit)]) {
            guard let kind = JobKind(rawValue: try row.text(1)) else { throw row.malformed(1) }
            jobs.append(
                Job(
                    id: try row.uint64(0), kind: kind, subject: try row.uint64(2), attempt: try row.int(3) + 1,
                    createdAt: Instant(milliseconds: try row.int64(4))))
        }
        try session.executeBulk(lease, jobs.map { [.int64(end.milliseconds), .uint64($0.id)] })
        return jobs
    }

    /// Removes the job about `subject`. Repeat is safe. Throws when the database is away.
    static func remove(_ kind: JobKind, about subject: UInt64, in session: Session) throws(DatabaseError) {
        try session.execute(remove, [.text(kind.rawValue), .uint64(subject)])
    }

    /// Has a job tried again at `dueAt`, unless its lease ran out and another worker took it. Where `counts` is false
    /// the try is forgotten. Throws when the database is away.
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

    /// Has a job tried no more; false where it is not this worker's any more, because its lease ran out and another one
    /// took it, or because what it is about was done meanwhile. Throws when the database is away.
    static func end(_ job: Job, at now: Instant, in session: Session) throws(DatabaseError) -> Bool {
        try session.execute(end, [.int64(now.milliseconds), .uint64(job.id), Value(job.attempt)]) > 0
    }
}

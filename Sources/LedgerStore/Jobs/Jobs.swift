package import Entitlements
package import MariaDB

/// The kind of a job; the raw value stands in the database.
package enum JobKind: String, Hashable, Sendable, CaseIterable {
    /// Places a delivery of the inbox.
    case delivery
}

/// A job that a worker has taken.
package struct Job: Hashable, Sendable {
    let id: UInt64
    package let kind: JobKind
    /// The number of what it is about.
    package let subject: UInt64
    /// How often it has been tried, this time included.
    package let attempt: Int
    /// Since when it is to be done.
    let createdAt: Instant

    /// True if a failure of this attempt is the job's last.
    package var isLastAttempt: Bool { attempt >= Jobs.maximumAttempts }
}

/// Work that is done later than it was asked for, by whichever instance takes it.
///
/// A worker takes jobs for a time, the lease. If it dies, they are due again when the lease ends, so what a job does
/// must be safe to do twice.
package struct Jobs: Sendable {
    /// For how long a worker has a job.
    package static let lease: Int64 = 60_000
    /// How often a job is tried.
    package static let maximumAttempts = 8
    /// The pause after the first try at most; each later one is twice as long at most.
    private static let firstPause: Int64 = 5_000
    private static let longestPause: Int64 = 10 * 60_000

    private let pool: Pool
    private let now: @Sendable () -> Instant
    /// From 0 to 1.
    private let jitter: @Sendable () -> Double

    /// - Parameters:
    ///   - now: Real time, because leases and pauses measure real work.
    ///   - jitter: A random number from 0 to 1.
    package init(pool: Pool, now: @escaping @Sendable () -> Instant, jitter: @escaping @Sendable () -> Double) {
        self.pool = pool
        self.now = now
        self.jitter = jitter
    }

    /// Takes up to `limit` jobs that are due. A job that was tried as often as allowed and never ended, as when it ends
    /// its worker, is given up instead. Throws when the database is away.
    package func take(_ limit: Int) async throws(ServiceFailure) -> [Job] {
        let now = now()
        return try await pool.commit { (session) throws(DatabaseError) in
            let jobs = try JobRow.take(limit, dueAt: now, until: now + Self.lease, in: session)
            for job in jobs where job.attempt > Self.maximumAttempts { try giveUp(job, at: now, in: session) }
            return jobs.filter { $0.attempt <= Self.maximumAttempts }
        }
    }

    /// A job failed. It is tried again after a random pause, which may be longer each time, or was tried often enough:
    /// then what it is about is given up. Where `counts` is false, because something that it needs is away, it is tried
    /// as often as that takes, after as long again as it has waited at most. Throws when the database is away.
    package func fail(_ job: Job, counts: Bool = true) async throws(ServiceFailure) {
        let now = now()
        let usual = Self.firstPause << Int64(job.attempt - 1)
        let longest = min(Self.longestPause, counts ? usual : max(usual, now - job.createdAt))
        let pause = Double(longest) * jitter()
        try await pool.commit { (session) throws(DatabaseError) in
            if counts, job.isLastAttempt { return try giveUp(job, at: now, in: session) }
            try JobRow.postpone(job, until: now + Int64(pause), counts: counts, in: session)
        }
    }

    private func giveUp(_ job: Job, at now: Instant, in session: Session) throws(DatabaseError) {
        guard try JobRow.end(job, at: now, in: session) else { return }
        switch job.kind {
        case .delivery: try InboxDeliveryRow.quarantine(job.subject, in: session)
        }
    }
}

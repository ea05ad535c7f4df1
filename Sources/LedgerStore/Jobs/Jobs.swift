package import Entitlements
package import MariaDB

/// The kind of a job; the raw value is stored in the database.
package enum JobKind: String, Hashable, Sendable, CaseIterable {
    /// Places a delivery of the inbox.
    case delivery
    /// Walks through Apple's history for a person.
    case history
    /// Answers a question of the App Store about consumption.
    case consumption
    /// Tells the App Store the account token of a purchase's owner.
    case accountToken = "account_token"
    /// Asks Apple about the purchases that a person's receipt, or notifications of version 1, named.
    case lookup
    /// Asks Apple about a chain whose period ended without a word.
    case chain
    /// Reads Apple's list of notifications of an app in an environment.
    case notifications

    /// The jobs of the kind that an instance does at the same time. Each kind has its own places, so that slow answers
    /// of Apple hold up no delivery.
    package var places: Int {
        switch self {
        case .delivery: 16
        case .history, .consumption, .lookup, .chain: 4
        case .accountToken: 2
        case .notifications: 1
        }
    }
}

/// A job that a worker has taken.
package struct Job: Hashable, Sendable {
    let id: UInt64
    package let kind: JobKind
    /// The id of the row that the job is about: in `inbox_deliveries` for a delivery, in `consumption_requests` for an
    /// answer about consumption, in `notification_reads` for notifications. For a walk and a look-up it is the person's
    /// pseudonym, for an account token and a chain the id in `purchases`.
    package let subject: UInt64
    /// The number of tries, including this one.
    package let attempt: Int
    /// The instant at which the job was added or restarted.
    let createdAt: Instant

    /// True if the job is given up when this attempt fails.
    package var isLastAttempt: Bool { attempt >= Jobs.maximumAttempts }
}

/// Jobs: work that is done later, by whichever instance takes it.
///
/// A worker takes a job for a limited time, the lease. If the worker dies, the job is due again when the lease ends. So
/// a job must be safe to do twice.
package struct Jobs: Sendable {
    /// The length of a lease, in milliseconds.
    package static let lease: Int64 = 60_000
    /// The most tries of a job.
    package static let maximumAttempts = 8
    /// The longest pause after the first try, in milliseconds. It doubles with each further try, up to `longestPause`.
    private static let firstPause: Int64 = 5_000
    private static let longestPause: Int64 = 10 * 60_000

    private let pool: Pool
    private let now: @Sendable () -> Instant
    /// A random number from 0 to 1, by which pauses are multiplied.
    private let jitter: @Sendable () -> Double

    /// - Parameters:
    ///   - now: Real time, because leases and pauses measure real work.
    ///   - jitter: A random number from 0 to 1.
    package init(pool: Pool, now: @escaping @Sendable () -> Instant, jitter: @escaping @Sendable () -> Double) {
        self.pool = pool
        self.now = now
        self.jitter = jitter
    }

    /// Takes up to `limit` jobs of a kind that are due. A job whose last try never ended, for example because it
    /// crashes its worker, is given up instead. Throws when the database is away.
    package func take(_ limit: Int, of kind: JobKind) async throws(ServiceFailure) -> [Job] {
        let now = now()
        return try await pool.commit { (session) throws(DatabaseError) in
            let jobs = try JobRow.take(limit, of: kind, dueAt: now, until: now + Self.lease, in: session)
            for job in jobs where job.attempt > Self.maximumAttempts { try giveUp(job, at: now, in: session) }
            return jobs.filter { $0.attempt <= Self.maximumAttempts }
        }
    }

    /// Removes a job that is done, unless it was restarted meanwhile. Throws when the database is away.
    package func finish(_ job: Job) async throws(ServiceFailure) {
        try await pool.commit { (session) throws(DatabaseError) in try JobRow.finish(job, in: session) }
    }

    /// Records that a job failed. It is tried again after a random pause, whose upper limit doubles each time. After
    /// its last try it is given up.
    ///
    /// `counts` is false if something that the job needs is away. Then the try is not counted, and the pause may be as
    /// long as the job has waited so far. Throws when the database is away.
    ///
    /// - Parameter earliest: The first instant at which a further try makes sense.
    package func fail(
        _ job: Job, counts: Bool = true, notBefore earliest: Instant? = nil
    ) async throws(ServiceFailure) {
        let now = now()
        let usual = Self.firstPause << Int64(job.attempt - 1)
        let longest = min(Self.longestPause, counts ? usual : max(usual, now - job.createdAt))
        let pause = Double(longest) * jitter()
        try await pool.commit { (session) throws(DatabaseError) in
            if counts, job.isLastAttempt { return try giveUp(job, at: now, in: session) }
            try JobRow.postpone(job, until: max(now + Int64(pause), earliest ?? now), counts: counts, in: session)
        }
    }

    private func giveUp(_ job: Job, at now: Instant, in session: Session) throws(DatabaseError) {
        guard try JobRow.end(job, at: now, in: session) else { return }
        switch job.kind {
        case .delivery: try InboxDeliveryRow.quarantine(job.subject, in: session)
        case .history, .consumption, .accountToken, .lookup, .chain, .notifications: break
        }
    }
}

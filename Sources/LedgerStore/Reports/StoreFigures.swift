package import Entitlements
package import MariaDB

/// The amounts of work that wait in the database. Each is counted up to a limit, so that counting is cheap.
package struct StoreFigures: Sendable {
    /// The jobs of one kind.
    package struct Jobs: Hashable, Sendable {
        package let kind: JobKind
        package let due: Int
        /// The jobs that a worker has now, or that are due later.
        package let later: Int
        /// The jobs that failed as often as they may be tried.
        package let dead: Int
        /// The instant since which the longest overdue job has been due; nil if none is due.
        package let oldestDueAt: Instant?
    }

    /// The number of parked or quarantined deliveries of one source with one outcome.
    package struct Unsettled: Hashable, Sendable {
        package let source: Source
        package let outcome: DeliveryOutcome
        package let count: Int
    }

    /// The limit of each count.
    package static let limit = 10_000

    /// The jobs, one element for each kind.
    package let jobs: [Jobs]
    package let unsettled: [Unsettled]
    package let lastDeliveries: [LastDelivery]
    /// The instant of reading, in real time.
    package let readAt: Instant

    /// Reads the figures at `now`, which is real time. Throws when the database is away.
    package static func read(from pool: Pool, at now: Instant) async throws(ServiceFailure) -> StoreFigures {
        try await pool.ask { (session) throws(DatabaseError) in
            StoreFigures(
                jobs: try jobs(at: now, limit: limit, in: session),
                unsettled: try unsettled(limit: limit, in: session),
                lastDeliveries: try lastDeliveries(in: session), readAt: now)
        }
    }

    /// The last delivery of each source in each environment. Throws when the database is away.
    package static func lastDeliveries(in pool: Pool) async throws(ServiceFailure) -> [LastDelivery] {
        try await pool.ask { (session) throws(DatabaseError) in try lastDeliveries(in: session) }
    }
}

/// The last new, authentic delivery of a source in one environment.
package struct LastDelivery: Hashable, Sendable {
    package let source: Source
    package let environment: StoreEnvironment
    package let receivedAt: Instant
}

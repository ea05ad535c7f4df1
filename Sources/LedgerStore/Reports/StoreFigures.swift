package import Entitlements
package import MariaDB

/// How much work waits in the database, counted up to a limit so that looking is cheap whatever there is.
package struct StoreFigures: Sendable {
    /// The jobs of one kind.
    package struct Jobs: Hashable, Sendable {
        package let kind: JobKind
        package let due: Int
        /// A worker has them, or they are to be tried later.
        package let later: Int
        /// Tried as often as they may be.
        package let dead: Int
        /// Since when the one has been due that has been for longest.
        package let oldestDueAt: Instant?
    }

    /// The deliveries of one source that wait or were given up, for one reason.
    package struct Unsettled: Hashable, Sendable {
        package let source: Source
        package let standing: DeliveryStanding
        package let count: Int
    }

    /// No figure is higher.
    package static let limit = 10_000

    /// All kinds.
    package let jobs: [Jobs]
    package let unsettled: [Unsettled]
    package let lastDeliveries: [LastDelivery]
    /// The instant of reading, by the clock of jobs.
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

    /// When each source that ever delivered was last heard of. Throws when the database is away.
    package static func lastDeliveries(in pool: Pool) async throws(ServiceFailure) -> [LastDelivery] {
        try await pool.ask { (session) throws(DatabaseError) in try lastDeliveries(in: session) }
    }
}

/// When a source delivered something authentic and new in one environment for the last time.
package struct LastDelivery: Hashable, Sendable {
    package let source: Source
    package let environment: StoreEnvironment
    package let receivedAt: Instant
}

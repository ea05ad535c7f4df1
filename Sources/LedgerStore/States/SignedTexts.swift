package import Entitlements
package import MariaDB

/// The signed texts, which may be kept for a time only: what they proved stays recorded, and so does the hash of each.
package struct SignedTexts: Sendable {
    /// How many texts one sweep looks at in one transaction, and in how many.
    private static let batch = 500
    private static let batches = 20

    private let pool: Pool

    package init(pool: Pool) {
        self.pool = pool
    }

    /// Removes texts recorded more than `days` days before `now`, the oldest first, in small transactions and not for
    /// long; how many. Repeat is safe because what is gone stays gone. Throws when the database is away.
    @discardableResult
    package func sweep(olderThanDays days: Int, at now: Instant) async throws(ServiceFailure) -> Int {
        let oldest = now + -Int64(days) * Instant.millisecondsPerDay
        return try await sweep { (session) throws(DatabaseError) in
            try SignedTextRow.removeOldest(Self.batch, before: oldest, in: session)
        }
    }

    /// Removes texts of deliveries likewise, by when they were received, whatever became of them.
    @discardableResult
    package func sweepDeliveries(olderThanDays days: Int, at now: Instant) async throws(ServiceFailure) -> Int {
        let oldest = now + -Int64(days) * Instant.millisecondsPerDay
        return try await sweep { (session) throws(DatabaseError) in
            try InboxTextRow.removeOldest(Self.batch, before: oldest, in: session)
        }
    }

    private func sweep(
        _ remove: @escaping @Sendable (Session) throws(DatabaseError) -> Int
    ) async throws(ServiceFailure) -> Int {
        var count = 0
        for _ in 0..<Self.batches {
            let removed = try await pool.commit(remove)
            count += removed
            if removed < Self.batch { break }
        }
        return count
    }
}

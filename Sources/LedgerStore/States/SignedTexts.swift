package import Entitlements
package import MariaDB

/// Removes texts that are older than the settings allow. Facts and the hashes of texts stay.
package struct SignedTexts: Sendable {
    /// The most texts that a sweep looks at in one transaction, and the most transactions of one sweep.
    private static let batch = 500
    private static let batches = 20

    private let pool: Pool

    package init(pool: Pool) {
        self.pool = pool
    }

    /// Removes signed texts that were recorded more than `days` days before `now`, the oldest first, and returns how
    /// many. It runs a bounded number of small transactions. Repeat is safe. Throws when the database is away.
    @discardableResult
    package func sweep(olderThanDays days: Int, at now: Instant) async throws(ServiceFailure) -> Int {
        let oldest = now + -Int64(days) * Instant.millisecondsPerDay
        return try await sweep { (session) throws(DatabaseError) in
            try SignedTextRow.removeOldest(Self.batch, before: oldest, in: session)
        }
    }

    /// Removes the texts of deliveries that were received more than `days` days before `now`, whatever their outcome,
    /// and returns how many. Repeat is safe. Throws when the database is away.
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

package import MariaDB

/// Compares every row of `apple_iap_transactions` with itself: its columns, its statement and its digest.
///
/// So an edit of one of them is found in rows that no ledger repeats, too. Apple's details beyond the statement, such
/// as a storefront, decide nothing and are covered by nothing.
package enum StateCheck {
    /// The result of the check.
    package struct Outcome: Hashable, Sendable {
        package let states: Int
        /// The rows that do not agree with themselves; some more than `maximumFaults` end the check.
        package let faults: [UInt64]
    }

    private static let batch = 1_000
    private static let maximumFaults = 1_000

    /// Checks all rows, or those of what the person under `pseudonym` has or had, a page at a time without a lock.
    /// Calls `onPage` with how many are done after each page, and goes on when it returns. Throws when the database is
    /// away.
    package static func run(
        from pool: Pool, of pseudonym: UInt64? = nil, onPage: @Sendable (Int) async -> Void = { _ in }
    ) async throws(ServiceFailure) -> Outcome {
        var (states, faults, last): (Int, [UInt64], UInt64?) = (0, [], 0)
        while let after = last, faults.count < maximumFaults {
            let page = try await pool.ask { (session) throws(DatabaseError) in
                try CheckedState.page(of: pseudonym, after: after, limit: batch, in: session)
            }
            states += page.count
            faults += page.filter { !$0.isWhole }.map(\.id)
            last = page.count == batch ? page.last?.id : nil
            await onPage(states)
        }
        return Outcome(states: states, faults: faults)
    }
}

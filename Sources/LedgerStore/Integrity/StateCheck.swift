package import MariaDB

/// Checks that the columns, the statement and the digest of every row of `apple_iap_transactions` agree.
///
/// This finds edits even in rows whose statements are in no ledger. Apple's details beyond the statement, such as the
/// storefront, are not checked, because no decision uses them.
package enum StateCheck {
    /// The result of the check.
    package struct Outcome: Hashable, Sendable {
        package let states: Int
        /// The ids of the rows that are not whole. The check ends once it has found `maximumFaults`.
        package let faults: [UInt64]
    }

    private static let batch = 1_000
    private static let maximumFaults = 1_000

    /// Checks all rows, or those of the purchases that the person under `pseudonym` has or had. Reads a page at a time,
    /// without a lock.
    ///
    /// `onPage` is called with the number of checked rows after each page, and the check goes on when it returns.
    /// Throws when the database is away.
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

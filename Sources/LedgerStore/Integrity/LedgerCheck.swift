package import Entitlements
package import MariaDB

/// Recomputes the hash chains of ledgers, compares the owners of purchases with the ledgers, and reports what does not
/// agree. It finds entries that were edited, deleted, swapped or cut off.
///
/// Ledgers are read one after the other in pages, without a lock. The memory needed is that of one page and of the ids
/// of a person's purchases, however long a ledger is. A change between two pages looks like a fault. So a ledger that
/// seems to have a fault is checked again, under its own lock.
package struct LedgerCheck: Sendable {
    /// The progress of the check.
    package struct Progress: Hashable, Sendable {
        /// The number of signed states that were checked; 0 during the check of the ledgers, which comes later.
        package var states = 0
        package var people = 0
        package var entries = 0
        /// The percentage of the people that are checked.
        package var percent = 0

        package init(states: Int = 0, people: Int = 0, entries: Int = 0, percent: Int = 0) {
            self.states = states
            self.people = people
            self.entries = entries
            self.percent = percent
        }
    }

    /// The result of the check.
    package struct Outcome: Hashable, Sendable {
        package let done: Progress
        /// The faults, in the order of the people. The check ends once it has found `maximumFaults`.
        package let faults: [LedgerFault]
    }

    /// The number of faults at which the check ends; more would tell nothing new.
    package static let maximumFaults = 1_000

    private let pool: Pool
    private let page: Int

    /// - Parameter page: The number of entries that one statement reads.
    package init(pool: Pool, page: Int = 1_000) {
        self.pool = pool
        self.page = page
    }

    /// The faults of the ledger of `user`; none for a user who was never seen. Throws when the database is away.
    package func faults(of user: UserID) async throws(ServiceFailure) -> [LedgerFault] {
        guard let pseudonym = try await pseudonym(of: user) else { return [] }
        return try await run(of: pseudonym).faults
    }

    /// The faults of all ledgers. Throws when the database is away.
    package func faults() async throws(ServiceFailure) -> [LedgerFault] {
        try await run().faults
    }

    /// Checks the ledger under `pseudonym`. Throws when the database is away.
    func run(of pseudonym: UInt64) async throws(ServiceFailure) -> Outcome {
        try await run(pseudonym...pseudonym) { _ in }
    }

    /// The pseudonym of `user`; nil for a user who was never seen. Throws when the database is away.
    func pseudonym(of user: UserID) async throws(ServiceFailure) -> UInt64? {
        try await pool.ask { (session) throws(DatabaseError) in try LedgerOwner.pseudonym(of: user, in: session) }
    }

    /// Checks all ledgers while servers go on working. `onPage` is called after each page, and the check goes on when
    /// it returns. Throws when the database is away.
    package func run(
        onPage: @Sendable (Progress) async -> Void = { _ in }
    ) async throws(ServiceFailure) -> Outcome {
        try await run(1...UInt64.max, onPage: onPage)
    }

    private func run(
        _ people: ClosedRange<UInt64>, onPage: @Sendable (Progress) async -> Void
    ) async throws(ServiceFailure) -> Outcome {
        let last = try await pool.ask { (session) throws(DatabaseError) in try LedgerOwner.last(in: session) }
        var done = Progress()
        var faults: [LedgerFault] = []
        var sweep = LedgerSweep(of: people, page: page)
        while !sweep.isAtEnd, faults.count < Self.maximumFaults {
            let reading = sweep
            let rows = try await pool.ask { (session) throws(DatabaseError) in try reading.page(in: session) }
            let ended = sweep.judge(rows)
            let seeming = try await pool.ask { (session) throws(DatabaseError) in
                try LedgerSweep.faulty(of: ended, in: session)
            }
            for pseudonym in seeming { faults += try await confirmed(pseudonym) }
            done.entries += rows.count
            done.people += ended.count
            done.percent = sweep.isAtEnd ? 100 : Int(99 * min(1, Double(sweep.pseudonym) / Double(max(1, last))))
            await onPage(done)
        }
        faults += try await emptied(people)
        return Outcome(done: done, faults: faults)
    }

    /// The faults of people who should have entries, because they have a head or purchases, but have none at all.
    private func emptied(_ people: ClosedRange<UInt64>) async throws(ServiceFailure) -> [LedgerFault] {
        var faults: [LedgerFault] = []
        var last: UInt64? = people.lowerBound - 1
        while let after = last, faults.count < Self.maximumFaults {
            let found = try await pool.ask { (session) throws(DatabaseError) in
                try LedgerOwner.page(after: after, through: people.upperBound, limit: page, in: session)
            }
            for person in found where person.isEmptied { faults += try await confirmed(person.pseudonym) }
            last = found.count == page ? found.last?.pseudonym : nil
        }
        return faults
    }

    /// The faults of the ledger under `pseudonym`, checked under its lock so that nobody can add to it.
    private func confirmed(_ pseudonym: UInt64) async throws(ServiceFailure) -> [LedgerFault] {
        try await pool.commit { (session) throws(DatabaseError) in
            var walk = LedgerWalk(of: pseudonym, try LedgerOwner.lock(pseudonym, in: session))
            var sweep = LedgerSweep(of: pseudonym...pseudonym, page: page)
            while !sweep.isAtEnd { for ended in sweep.judge(try sweep.page(in: session)) { walk = ended } }
            let holdings = try Holdings.load(of: [pseudonym], in: session)
            return walk.faults(against: holdings[pseudonym] ?? Holdings())
        }
    }
}

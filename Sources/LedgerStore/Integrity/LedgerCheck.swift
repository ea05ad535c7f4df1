package import Entitlements
package import MariaDB

/// Recomputes the chains of hashes from the tables, and compares who has what with the ledgers, and says what does not
/// agree: edits, deletions, swaps and truncation.
///
/// Ledgers are read one after the other in pages, without a lock; a ledger of any length takes the memory of a page and
/// of the numbers of its purchases. A change between two pages looks like a fault, so a ledger that seems to have one
/// is judged once more, under its own lock.
package struct LedgerCheck: Sendable {
    /// How much the check has read.
    package struct Progress: Hashable, Sendable {
        /// The signed states, which come before the ledgers.
        package var states = 0
        package var people = 0
        package var entries = 0
        /// The per cent of all people that are done.
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
        /// In the order of the people; some more than `maximumFaults` end the check.
        package let faults: [LedgerFault]
    }

    /// After this many faults the rest tells nothing new.
    package static let maximumFaults = 1_000

    private let pool: Pool
    private let page: Int

    /// Reads `page` entries at once.
    package init(pool: Pool, page: Int = 1_000) {
        self.pool = pool
        self.page = page
    }

    /// The faults of the ledger of `user`; none for a user never seen. Throws when the database is away.
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

    /// Under which pseudonym `user` stands; nil for one never seen. Throws when the database is away.
    func pseudonym(of user: UserID) async throws(ServiceFailure) -> UInt64? {
        try await pool.ask { (session) throws(DatabaseError) in try LedgerOwner.pseudonym(of: user, in: session) }
    }

    /// Checks everybody's, while the server goes on; calls `onPage` after each page, and goes on when it
    /// returns. Throws when the database is away.
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

    /// The faults of people who have a head or purchases and no entries at all.
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

    /// The faults of the ledger under `pseudonym`, judged while nobody else can add to it.
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

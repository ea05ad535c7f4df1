package import Entitlements
import MariaDB

/// The standings of users: read for statuses, kept behind them, and made anew when time or the catalogue changes them.
///
/// A stored answer is sent only if it follows from the present ledger, the catalogue in force, this instance's settings
/// and this program's form of answers, and holds at the instant. So no stored answer needs to be invalidated, and both
/// tables may be truncated at any time.
package final class Standings: Sendable {
    /// The most questions that one statement answers, and the most answers that one transaction keeps.
    private static let maximumBatch = 64
    private static let maximumWaiting = 8_192
    /// The most answers that wait to be kept; a further answer is dropped. A long one takes a megabyte.
    private static let maximumBehind = 256
    /// The number of people whose rows one transaction makes anew.
    private static let chunk = 200
    /// The time for which an answer of an instance with other settings is left alone, in milliseconds. So instances of
    /// different settings do not write over each other's rows at every question.
    fileprivate static let patience: Int64 = 60_000

    /// A status that somebody waits for.
    private struct Question: Sendable {
        let user: UserID
        let at: Instant
        let resume: @Sendable (Result<StandingAnswer?, ServiceFailure>) -> Void
    }

    private let pool: Pool
    private let catalogue: CatalogueVersionCache
    private let projection: Projection
    private let now: @Sendable () -> Instant
    private let noteUnreadable: @Sendable (_ pseudonym: UInt64) -> Void
    private let questions = BatchQueue<Question>(maximumBatch: maximumBatch, maximumWaiting: maximumWaiting)
    private let behind = BatchQueue<StandingRow>(maximumBatch: maximumBatch, maximumWaiting: maximumBehind)

    init(
        pool: Pool, catalogue: CatalogueVersionCache, projection: Projection, now: @escaping @Sendable () -> Instant,
        noteUnreadable: @escaping @Sendable (_ pseudonym: UInt64) -> Void
    ) {
        self.pool = pool
        self.catalogue = catalogue
        self.projection = projection
        self.now = now
        self.noteUnreadable = noteUnreadable
    }

    /// Answers questions and keeps answers until `shutDown`.
    package func run() async {
        async let keeping: Void = behind.run(runners: 1) { await self.write($0) }
        await questions.run(runners: 1) { await self.find($0) }
        behind.close()
        await keeping
    }

    /// Takes no more questions.
    package func shutDown() {
        questions.close()
    }

    /// The stored answer about `user` that holds at `at`; nil if there is none. Throws when the database is away.
    package func answer(about user: UserID, at: Instant) async throws(ServiceFailure) -> StandingAnswer? {
        try await withCheckedContinuation { continuation in
            let question = Question(user: user, at: at) { continuation.resume(returning: $0) }
            if !questions.submit(question) {
                question.resume(.failure(ServiceFailure(DatabaseError(.overloaded, statement: StandingRow.find.name))))
            }
        }.get()
    }

    private func find(_ questions: [Question]) async {
        let held = catalogue.cached
        let basis = projection.basis(given: held.versions)
        do {
            let found = try await pool.ask { (session) throws(DatabaseError) in
                try StandingRow.answers(to: questions.map { ($0.user, $0.at) }, on: basis, in: session)
            }
            // A catalogue that is newer than the cached one gives other answers.
            let isCurrent = found.catalogueVersion == held.newest
            for (question, answer) in zip(questions, found.answers) {
                question.resume(.success(isCurrent ? answer : nil))
            }
        } catch {
            for question in questions { question.resume(.failure(error)) }
        }
    }

    /// Keeps the answer about `standing` soon, and returns at once. The answer is dropped if it is too long, if the
    /// ledger is empty or has grown since, if the person is erased, or if the stored one is to stay.
    ///
    /// - Parameter head: The head of the ledger that was folded.
    package func keep(
        _ standing: Standing, _ answer: StandingAnswer, of head: LedgerHead, given catalogue: CatalogueVersions
    ) {
        guard head.length > 0, answer.substance.count <= StandingRow.maximumBody else { return }
        _ = behind.submit(  // a full queue drops the answer
            StandingRow(
                pseudonym: head.pseudonym, length: head.length, basis: projection.basis(given: catalogue),
                standing: standing, answer: answer))
    }

    private func write(_ rows: [StandingRow]) async {
        let rows = Dictionary(rows.map { ($0.pseudonym, $0) }) { $1 }
        let (versions, now) = (catalogue.snapshot, now())
        let basis = projection.basis(given: versions)
        // `try?` drops the error: an answer that could not be kept is made again for the next question.
        let unreadable = try? await pool.commit { (session) throws(DatabaseError) in
            let people = try UserRow.lockFree(rows.keys.sorted(), in: session)
            let stored = try StandingRow.stored(of: people.map(\.pseudonym), in: session)
            // A new catalogue changes the rows of `subscriptions` too, so all rows of these people are made anew.
            let outdated = people.filter { person in
                stored[person.pseudonym].map { !$0.isListed || $0.isOlder(than: basis) } ?? true
            }
            let unreadable = try projection.make(
                outdated, listing: Set(outdated.map(\.pseudonym)), given: versions, at: now, in: session)
            let kept = people.compactMap { person -> StandingRow? in
                guard let row = rows[person.pseudonym], row.length == person.length,
                    stored[person.pseudonym]?.givesWay(to: row, at: now) == true
                else { return nil }
                return row
            }
            try UserRow.touch(kept.map(\.pseudonym).sorted(), in: session)
            try StandingRow.write(kept, in: session)
            return unreadable
        }
        unreadable?.forEach(noteUnreadable)
    }

    /// Makes the rows of the next people anew whose time is over or whose basis is an older one, and returns how many;
    /// 0 if none is left, or if other instances are at work on them. Throws when the database is away.
    package func makeDueAnew() async throws(ServiceFailure) -> Int {
        let (versions, now) = (catalogue.snapshot, now())
        let basis = projection.basis(given: versions)
        let due = try await pool.ask { (session) throws(DatabaseError) in
            try StandingRow.due(at: now, on: basis, limit: Self.chunk, in: session)
        }
        guard !due.isEmpty else { return 0 }
        let (count, unreadable) = try await pool.commit { (session) throws(DatabaseError) in
            let people = try UserRow.lockFree(due, in: session)
            let stored = try StandingRow.stored(of: people.map(\.pseudonym), in: session)
            let due = people.filter { stored[$0.pseudonym]?.isDue(at: now, on: basis) ?? false }
            // A new catalogue changes the rows of `subscriptions` too.
            let listed = due.map(\.pseudonym).filter { stored[$0]?.isOlder(than: basis) == true }
            let unreadable = try projection.make(due, listing: Set(listed), given: versions, at: now, in: session)
            return (due.count, unreadable)
        }
        unreadable.forEach(noteUnreadable)
        return count
    }

    /// Makes the rows that are missing, or that follow from other settings, among the next people after `pseudonym`,
    /// and returns the last of these people; nil if there were none. Throws when the database is away.
    package func makeWhole(after pseudonym: UInt64) async throws(ServiceFailure) -> UInt64? {
        let (versions, now) = (catalogue.snapshot, now())
        let basis = projection.basis(given: versions)
        let page = try await pool.ask { (session) throws(DatabaseError) in
            let people = try UserRow.next(after: pseudonym, limit: Self.chunk, in: session)
            return (last: people.last?.pseudonym, isWhole: try strange(people, to: basis, in: session).isEmpty)
        }
        guard !page.isWhole else { return page.last }
        let (last, unreadable) = try await pool.commit { (session) throws(DatabaseError) in
            let people = try UserRow.lockNext(after: pseudonym, limit: Self.chunk, in: session)
            let strange = try strange(people, to: basis, in: session)
            let unreadable = try projection.make(
                strange, listing: Set(strange.map(\.pseudonym)), given: versions, at: now, in: session)
            return (people.last?.pseudonym, unreadable)
        }
        unreadable.forEach(noteUnreadable)
        return last
    }

    /// The people of whom a row is missing, or follows from other settings and no newer basis.
    private func strange(
        _ people: [UserRow.Person], to basis: StandingBasis, in session: Session
    ) throws(DatabaseError) -> [UserRow.Person] {
        let stored = try StandingRow.stored(of: people.map(\.pseudonym), in: session)
        return people.filter { person in
            guard !person.user.isErased else { return false }
            guard let row = stored[person.pseudonym], row.isListed else { return true }
            return row.basis.settings != basis.settings && row.basis.number <= basis.number
        }
    }

    /// The rows that wait to be made anew, counted up to `limit` of each kind. Throws when the database is away.
    package func overdue(limit: Int = .max) async throws(ServiceFailure) -> OverdueStandings {
        let (basis, now) = (projection.basis(given: catalogue.snapshot), now())
        return try await pool.ask { (session) throws(DatabaseError) in
            try StandingRow.overdue(at: now, on: basis, limit: limit, in: session)
        }
    }
}

extension StandingRow.Stored {
    fileprivate func isOlder(than basis: StandingBasis) -> Bool { self.basis.number < basis.number }

    /// True if the row is on an older basis, or its time is over.
    fileprivate func isDue(at now: Instant, on basis: StandingBasis) -> Bool {
        isOlder(than: basis) || self.basis.number == basis.number && holdsUntil <= now
    }

    /// True if `row`, which follows from the present ledger, may take the place of this one at `now`.
    fileprivate func givesWay(to row: StandingRow, at now: Instant) -> Bool {
        guard basis.number == row.basis.number else { return false }
        if length != row.length { return true }
        guard row.holds(at: now) else { return false }
        let holds = holdsFrom <= now && now < holdsUntil
        return !holds || basis != row.basis && holdsFrom + Standings.patience <= now
    }
}

extension StandingRow {
    /// True if the answer is the same at `now`.
    func holds(at now: Instant) -> Bool { standing.status.at <= now && now < standing.holdsUntil }
}

package import Entitlements
package import MariaDB

/// The questions of the App Store about consumption. A question is written with the delivery that asks it, and decided
/// once (`semantics.md` §5).
package struct ConsumptionRequests: Sendable {
    private let pool: Pool
    private let now: @Sendable () -> Instant

    /// - Parameter now: The clock that dates facts; a test may move it.
    package init(pool: Pool, now: @escaping @Sendable () -> Instant) {
        self.pool = pool
        self.now = now
    }

    /// The open question in the row `id`, and the person who has its purchase now. Nil if the question is decided, or
    /// was deleted with a person; then its job is removed. Throws when the database is away.
    package func open(
        _ id: UInt64
    ) async throws(ServiceFailure) -> (question: ConsumptionQuestion, owner: UserID?)? {
        try await pool.commit { (session) throws(DatabaseError) in
            let open = try ConsumptionRequestRow.open(id, in: session)
            if open == nil { try JobRow.remove(.consumption, about: id, in: session) }
            return open
        }
    }

    /// Writes the answer that an open question is to get before Apple is told, so that Apple is told the same if it has
    /// to be told again. Returns the written answer; nil if the question is decided or gone. Throws when the database
    /// is away.
    package func prepare(
        _ answer: ConsumptionAnswer, to id: UInt64
    ) async throws(ServiceFailure) -> ConsumptionAnswer? {
        try await pool.commit { (session) throws(DatabaseError) in
            try ConsumptionRequestRow.prepare(answer, to: id, in: session)
        }
    }

    /// Writes the outcome of an open question, and removes its job. If the person was erased meanwhile, the question is
    /// gone. Throws when the database is away.
    ///
    /// - Parameter owner: The user about whom it was decided.
    package func decide(
        _ id: UInt64, as outcome: ConsumptionOutcome, about owner: UserID?
    ) async throws(ServiceFailure) {
        let now = now()
        try await pool.commit { (session) throws(DatabaseError) in
            var person: UInt64?
            if let owner, !owner.isErased { person = try UserRow.lock(known: owner, in: session) }
            try ConsumptionRequestRow.decide(id, as: outcome, about: person, at: now, in: session)
            try JobRow.remove(.consumption, about: id, in: session)
        }
    }
}

extension OperatorReader {
    /// The largest number of questions that an explanation or a timeline shows.
    private static let shown = 100

    /// The questions about one user's purchases, the last recorded first; at most 100. Throws when the database is
    /// away.
    package func consumptionRequests(about user: UserID) async throws(ServiceFailure) -> [ConsumptionRequest] {
        try await consumptionRequests(nil, of: user, before: nil, limit: Self.shown).rows
    }

    /// Up to `limit` questions with ids below `id`, the last recorded first. Throws when the database is away.
    ///
    /// - Parameters:
    ///   - state: The state of the questions; nil for all.
    ///   - user: The user whom they are about; nil for all.
    package func consumptionRequests(
        _ state: ConsumptionRequest.State?, of user: UserID?, before id: UInt64?, limit: Int
    ) async throws(ServiceFailure) -> ListPage<ConsumptionRequest> {
        guard let user else {
            return try await page(.consumptionRequests, before: id, limit: limit, number: \.id) {
                (id, floor, session) throws(DatabaseError) in
                try ConsumptionRequestRow.page(state, before: id, from: floor, limit: limit, in: session)
            }
        }
        let rows = try await pool.ask { (session) throws(DatabaseError) in
            try ConsumptionRequestRow.page(state, of: user, before: id ?? .max, limit: limit, in: session)
        }
        return ListPage(rows: rows, next: rows.count == limit ? rows.last?.id : nil)
    }
}

package import Entitlements
package import MariaDB

/// Makes a write that is sent several times under one key happen once, and gives repeats the first answer (`api.md`,
/// "Conventions").
///
/// An attempt claims the key, acts, and then finishes with its answer or releases the key. An act that has a
/// transaction of its own stores the answer in that transaction, so that both are committed together. If the process
/// dies, its claim can be taken over after `claimTime`.
package struct IdempotencyKeys: Sendable {
    /// How long a claim lasts, in milliseconds; longer than any request takes.
    package static let claimTime: Int64 = 90_000
    /// How long answers are kept, in milliseconds; an hour longer than the documentation promises.
    package static let keptTime: Int64 = 25 * Instant.millisecondsPerHour
    /// The most rows that a sweep removes in one transaction, and the most transactions of one sweep.
    private static let sweepLimit = 500
    private static let sweepBatches = 20

    private let pool: Pool
    private let now: @Sendable () -> Instant
    private let random: @Sendable () -> UInt64

    /// - Parameter random: Makes the random number of an attempt.
    package init(pool: Pool, now: @escaping @Sendable () -> Instant, random: @escaping @Sendable () -> UInt64) {
        self.pool = pool
        self.now = now
        self.random = random
    }

    /// Claims a request. If several attempts claim it at once, exactly one gets the claim.
    ///
    /// Repeat is safe: the attempt has its number before the transaction, so a transaction that runs again recognises
    /// its own claim. Throws when the database is away.
    package func claim(_ request: IdempotentRequest) async throws(ServiceFailure) -> IdempotencyVerdict {
        let (claimant, now) = (random(), now())
        return try await pool.commit { (session) throws(DatabaseError) in
            let owner = request.owner
            let fresh = IdempotencyKeyRow.Stored(
                digest: request.digest, claimant: claimant, claimedUntil: now + Self.claimTime, answer: nil,
                expiresAt: now + Self.keptTime)
            let kept = try IdempotencyKeyRow.lock(
                fresh, about: request.subject, owner: owner, key: request.key, at: now, in: session)
            let claim = IdempotencyClaim(owner: owner, key: request.key, claimant: claimant)
            if kept.claimant == claimant { return .claimed(claim) }
            if !kept.hasExpired(at: now) {
                guard kept.digest == request.digest else { return .reused }
                if let answer = kept.answer {
                    return .answered(status: answer.status, body: answer.body, claimant: kept.claimant)
                }
                guard kept.claimedUntil <= now else { return .inProgress }
            }
            try IdempotencyKeyRow.replace(
                with: fresh, about: request.subject, owner: owner, key: request.key, at: now, in: session)
            return .claimed(claim)
        }
    }

    /// Stores the first answer; a repeat changes nothing. Throws when the database is away. Throws `givenUp` if the
    /// claim was taken over, or erased with a person whom the request is about.
    package func finish(_ answer: RememberedAnswer) async throws(ServiceFailure) {
        let now = now()
        try await pool.commit { (session) throws(DatabaseError) in
            try Self.finish(answer, at: now, in: session)
        }
    }

    /// Stores the first answer in the transaction of the act. Throws `givenUp` if the claim was taken over or erased,
    /// which rolls the act back.
    package static func finish(
        _ answer: RememberedAnswer, at now: Instant, in session: Session
    ) throws(DatabaseError) {
        guard try IdempotencyKeyRow.finish(answer, expiresAt: now + keptTime, in: session) else {
            throw DatabaseError(.givenUp, statement: "finish request")
        }
    }

    /// Releases the key, because the request was refused or failed. Throws when the database is away; the claim then
    /// ends by itself.
    package func release(_ claim: IdempotencyClaim) async throws(ServiceFailure) {
        try await pool.commit { (session) throws(DatabaseError) in try IdempotencyKeyRow.release(claim, in: session) }
    }

    /// Removes expired rows, in a bounded number of small transactions, and returns how many rows were removed. Throws
    /// when the database is away.
    @discardableResult
    package func sweep() async throws(ServiceFailure) -> Int {
        let now = now()
        var count = 0
        for _ in 0..<Self.sweepBatches {
            let removed = try await pool.commit { (session) throws(DatabaseError) in
                try IdempotencyKeyRow.sweep(at: now, limit: Self.sweepLimit, in: session)
            }
            count += removed
            if removed < Self.sweepLimit { break }
        }
        return count
    }
}

extension IdempotencyKeyRow.Stored {
    fileprivate func hasExpired(at now: Instant) -> Bool {
        expiresAt <= now
    }
}

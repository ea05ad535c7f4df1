package import Entitlements
package import MariaDB

/// The walks through Apple's history that restores begin: at most once in ten minutes for each user (`semantics.md`
/// §6).
package struct HistoryWalks: Sendable {
    /// The time after a walk in which Apple is not asked about the user again, in milliseconds.
    package static let pause: Int64 = 10 * 60_000
    /// The time for which the proof of an Apple account counts, in milliseconds.
    package static let proofLifetime: Int64 = 60 * 60_000

    /// The answer to a wish to walk.
    package enum Begun: Hashable, Sendable {
        /// Apple was asked less than ten minutes ago.
        case recent
        /// Earlier walks are not over, and a job goes on with them.
        case owed
        /// The walks are written down. A job does them if nothing else does before its lease ends.
        case begun(person: UInt64)
        case unknownUser
    }

    private let pool: Pool
    private let now: @Sendable () -> Instant
    private let realNow: @Sendable () -> Instant

    /// - Parameters:
    ///   - now: The clock that dates facts; a test may move it.
    ///   - realNow: Real time, which decides when jobs are due.
    package init(
        pool: Pool, now: @escaping @Sendable () -> Instant, realNow: @escaping @Sendable () -> Instant
    ) {
        self.pool = pool
        self.now = now
        self.realNow = realNow
    }

    /// True if Apple was asked about the user less than ten minutes ago, and nothing is owed. Locks nothing. Throws
    /// when the database is away.
    package func isRecent(_ user: UserID) async throws(ServiceFailure) -> Bool {
        let now = now()
        return try await pool.ask { (session) throws(DatabaseError) in
            guard let last = try HistoryWalkRow.last(of: user, in: session) else { return false }
            return !last.isOwed && now < last.askedAt + Self.pause
        }
    }

    /// Writes walks down, with the job that does them. Of several requests at once, one begins. While a job goes on
    /// with earlier walks, only the proof is added to them. Throws when the database is away.
    package func begin(
        _ walks: [HistoryWalk], of user: UserID, by proof: AccountProof?
    ) async throws(ServiceFailure) -> Begun {
        let (now, realNow) = (now(), realNow())
        return try await pool.commit { (session) throws(DatabaseError) in
            guard let person = try UserRow.lock(known: user, in: session) else { return .unknownUser }
            let last = try HistoryWalkRow.last(of: user, in: session)
            if let last, last.isOwed, try JobRow.isAlive(.history, about: person, in: session) {
                if let proof { try HistoryWalkRow.note(proof, of: person, at: now, in: session) }
                return .owed
            }
            if let last, !last.isOwed, now < last.askedAt + Self.pause { return .recent }
            try HistoryWalkRow.begin(walks, of: person, at: now, in: session)
            try JobRow.revive(.history, about: person, dueAt: realNow + Jobs.lease, now: realNow, in: session)
            return .begun(person: person)
        }
    }

    /// The walks that are owed to a person, through purchases that the person has; nil if there are none, and for an
    /// erased person. A proof counts for an hour. Throws when the database is away.
    package func owed(to person: UInt64) async throws(ServiceFailure) -> OwedWalks? {
        let now = now()
        return try await pool.ask { (session) throws(DatabaseError) in
            try HistoryWalkRow.owed(to: person, provenSince: now + -Self.proofLifetime, in: session)
        }
    }

    /// Notes the place that a walk has reached, and keeps the job from other workers for as long as a lease. False if
    /// the walk is over, or others have begun. Throws when the database is away.
    ///
    /// - Parameter isOver: True if nothing more is to be asked.
    package func note(
        _ walk: HistoryWalk, of person: UInt64, in owed: OwedWalks, at revision: String?, recovering count: Int,
        isOver: Bool
    ) async throws(ServiceFailure) -> Bool {
        let (now, realNow) = (now(), realNow())
        return try await pool.commit { (session) throws(DatabaseError) in
            let isMoved = try HistoryWalkRow.move(
                walk, of: person, askedAt: owed.askedAt, to: revision, recovering: count,
                answeredAt: isOver ? now : nil, in: session)
            if isMoved { try JobRow.hold(.history, about: person, until: realNow + Jobs.lease, in: session) }
            return isMoved
        }
    }

    /// Ends the walks and their job, unless others have begun, and returns how many purchases they recovered. Throws
    /// when the database is away.
    ///
    /// - Parameter owed: The walks; nil if there were none that could be done.
    package func finish(_ person: UInt64, _ owed: OwedWalks?) async throws(ServiceFailure) -> Int {
        let now = now()
        return try await pool.commit { (session) throws(DatabaseError) in
            guard let owed else {
                try HistoryWalkRow.endAll(of: person, at: now, in: session)
                try JobRow.remove(.history, about: person, in: session)
                return 0
            }
            _ = try UserRow.lock(known: owed.user, in: session)
            let recovered = try HistoryWalkRow.end(of: person, askedAt: owed.askedAt, at: now, in: session)
            let last = try HistoryWalkRow.last(of: owed.user, in: session)
            if last?.isOwed != true { try JobRow.remove(.history, about: person, in: session) }
            return recovered
        }
    }
}

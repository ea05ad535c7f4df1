import Entitlements
import LedgerStore
import Synchronization

/// A cache of the answers to `GET /api/iap/apple/status` without history, explanation and `known_at`.
///
/// An answer depends on the ledger, the catalogue and the instant. An entry holds the ledger's head (the hash of its
/// newest entry), the number of the catalogue version, and the time until the next change of the timeline. An entry is
/// used only while all three match, so nothing is ever invalidated. If the head in the database is unchanged, the
/// ledger is not read.
///
/// A user who comes back under the id of an erased user has a ledger with another head.
final class StatusAnswers: Sendable {
    /// The most bytes of cached answers.
    private static let capacity = 24 << 20

    /// The part of an answer behind the member `at`, and its tag.
    struct Answer: Sendable {
        let substance: [UInt8]
        let entityTag: EntityTag
    }

    /// A cached answer, what it was made from, and the time in which it holds.
    private final class CachedAnswer: Sendable {
        let head: LedgerHead?
        let catalogueVersion: Int
        let holdsFrom: Instant
        let holdsUntil: Instant
        private let substance: DeflatedBytes
        private let entityTag: EntityTag

        /// The approximate memory of the cached answer, in bytes.
        var bytes: Int { 384 + substance.keptCount }

        /// Compresses the answer; nil if memory is short.
        init?(
            _ answer: Answer, until holdsUntil: Instant, of head: LedgerHead?, given catalogue: CatalogueVersions,
            at: Instant
        ) {
            guard let substance = DeflatedBytes(answer.substance) else { return nil }
            self.head = head
            catalogueVersion = catalogue.latest.number
            holdsFrom = at
            self.holdsUntil = holdsUntil
            self.substance = substance
            entityTag = answer.entityTag
        }

        /// The decompressed answer; nil if memory is short.
        var answer: Answer? { substance.bytes.map { Answer(substance: $0, entityTag: entityTag) } }

        func holds(at instant: Instant) -> Bool { holdsFrom <= instant && instant < holdsUntil }
    }

    private let answers = Mutex(BoundedCache<UserID, CachedAnswer>(capacity: capacity) { $0.bytes })

    /// Drops the answer about a user who is being erased.
    func forget(_ user: UserID) {
        answers.withLock { $0[user] = nil }
    }

    /// The answer about `user` at `at`: the cached one if it still holds, else what `fold` gives.
    ///
    /// - Parameters:
    ///   - reading: Reads the user's ledger unless its head is the given one; then it gives nil. After it has returned,
    ///     `catalogue` gives the newest versions.
    ///   - inTurn: Runs its argument, which folds the ledger. It may make a user's own reads wait for each other.
    /// - Throws: The errors of `reading` and `inTurn`.
    func answer<Failure: Error>(
        about user: UserID, at: Instant, given catalogue: () -> CatalogueVersions,
        reading: (LedgerHead?) async throws(Failure) -> LedgerReader.ReadLedger?,
        inTurn: (() -> Answer) async throws(Failure) -> Answer,
        fold: @escaping (UserLedger, CatalogueVersions, Instant) -> API.Dependencies.Folded
    ) async throws(Failure) -> Answer {
        var cached = answers.withLock { $0[user] }
        if cached?.holds(at: at) == false { cached = nil }
        var read = try await reading(cached?.head)
        let newest = catalogue()
        if read == nil, let cached {
            if cached.catalogueVersion == newest.latest.number, let answer = cached.answer { return answer }
            read = try await reading(nil)
        }
        let (ledger, head) = read ?? (UserLedger(user: user), nil)
        return try await inTurn {
            // The read before this one in the queue may have made the answer.
            if let made = answers.withLock({ $0[user] }), made.head == head, head != nil, made.holds(at: at),
                made.catalogueVersion == newest.latest.number, let answer = made.answer
            {
                return answer
            }
            let folded = fold(ledger, newest, at)
            let body = StatusBody(folded.status, StatusBody.Parts())
            let answer = Answer(substance: Array(body.substance), entityTag: body.entityTag)
            let fresh = CachedAnswer(answer, until: folded.holdsUntil, of: head, given: newest, at: at)
            answers.withLock { $0[user] = fresh }
            return answer
        }
    }
}

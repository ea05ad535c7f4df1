import Entitlements
import LedgerStore
import Synchronization

/// A cache of answers to the plain question for the status, each used for as long as it stays true.
///
/// An answer depends on the ledger, the catalogue and the instant. A ledger's head names it, so it is not read while
/// the database has the head that the answer was made from; and between two changes of the timeline only the instant
/// that the answer names differs. So no answer is ever invalidated. A user who comes back under the id of an erased one
/// has a ledger of another head.
final class StatusAnswers: Sendable {
    /// How many bytes of answers are cached.
    private static let capacity = 24 << 20

    /// An answer without the instant it is about.
    struct Answer: Sendable {
        let substance: [UInt8]
        let entityTag: EntityTag
    }

    /// An answer, what it was made from, and from when to when it holds.
    private final class CachedAnswer: Sendable {
        let head: LedgerHead?
        let catalogueVersion: Int
        let holdsFrom: Instant
        let holdsUntil: Instant
        private let substance: DeflatedBytes
        private let entityTag: EntityTag

        /// The memory that the cached answer takes, about.
        var bytes: Int { 384 + substance.keptCount }

        /// Nil where there is no memory for it.
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

        /// Nil where there is no memory for it.
        var answer: Answer? { substance.bytes.map { Answer(substance: $0, entityTag: entityTag) } }

        func holds(at instant: Instant) -> Bool { holdsFrom <= instant && instant < holdsUntil }
    }

    private let answers = Mutex(BoundedCache<UserID, CachedAnswer>(capacity: capacity) { $0.bytes })

    /// Drops the answer about somebody who is erased.
    func forget(_ user: UserID) {
        answers.withLock { $0[user] = nil }
    }

    /// The answer about `user` at `at`: the cached one if it still holds, else what `fold` gives.
    ///
    /// - Parameters:
    ///   - reading: Gives the user's ledger, and nil while its head is the one that is known. After it `catalogue`
    ///     gives the newest.
    ///   - inTurn: Runs what folds the ledger when its turn has come.
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
            // The one before in the line may have made it.
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

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
    private static let capacity = 40 << 20

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
        let answer: Answer

        /// What keeping it takes, about.
        var bytes: Int { 384 + answer.substance.count }

        init(_ folded: API.Dependencies.Folded, of head: LedgerHead?, given catalogue: CatalogueVersions, at: Instant) {
            self.head = head
            catalogueVersion = catalogue.latest.number
            holdsFrom = at
            holdsUntil = folded.holdsUntil
            let body = StatusBody(folded.status, StatusBody.Parts())
            answer = Answer(substance: Array(body.substance), entityTag: body.entityTag)
        }

        func holds(at instant: Instant) -> Bool { holdsFrom <= instant && instant < holdsUntil }
    }

    private let answers = Mutex(BoundedCache<UserID, CachedAnswer>(capacity: capacity) { $0.bytes })

    /// Drops the answer about somebody who is erased.
    func forget(_ user: UserID) {
        answers.withLock { $0[user] = nil }
    }

    /// The answer about `user` at `at`: the cached one if it still holds, else what `fold` gives.
    ///
    /// - Parameter reading: Gives the user's ledger, and nil while its head is the one that is known. After it
    ///   `catalogue` gives the newest.
    /// - Throws: What `reading` throws.
    func answer<Failure: Error>(
        about user: UserID, at: Instant, given catalogue: () -> CatalogueVersions,
        reading: (LedgerHead?) async throws(Failure) -> LedgerReader.ReadLedger?,
        fold: (UserLedger, CatalogueVersions, Instant) -> API.Dependencies.Folded
    ) async throws(Failure) -> Answer {
        var cached = answers.withLock { $0[user] }
        if cached?.holds(at: at) == false { cached = nil }
        var read = try await reading(cached?.head)
        let newest = catalogue()
        if read == nil, let cached {
            if cached.catalogueVersion == newest.latest.number { return cached.answer }
            read = try await reading(nil)
        }
        let (ledger, head) = read ?? (UserLedger(user: user), nil)
        let fresh = CachedAnswer(fold(ledger, newest, at), of: head, given: newest, at: at)
        answers.withLock { $0[user] = fresh }
        return fresh.answer
    }
}

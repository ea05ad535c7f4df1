import Entitlements
import LedgerStore
import Synchronization

/// A cache of answers to the plain question for the status, each used for as long as it stays true.
///
/// An answer depends on the ledger, the catalogue and the instant. A user's ledger only grows and its entries' instants
/// strictly increase, so its length and last instant name it; and between two changes of the timeline only the instant
/// that the answer names differs. So no answer is ever invalidated. A user who comes back under the id of an
/// erased one has a ledger whose instants are later than those of the old ledger.
final class StatusAnswers: Sendable {
    /// How many bytes of answers are cached.
    private static let capacity = 16 << 20

    /// An answer without the instant it is about.
    struct Answer: Sendable {
        let substance: [UInt8]
        let entityTag: EntityTag
    }

    /// An answer, what it was made from, and from when to when it holds.
    private final class CachedAnswer: Sendable {
        let length: Int
        let lastRecordedAt: Instant?
        let catalogueVersion: Int
        let holdsFrom: Instant
        let holdsUntil: Instant
        let answer: Answer

        /// What keeping it takes, about.
        var bytes: Int { 384 + answer.substance.count }

        init(_ folded: API.Dependencies.Folded, of ledger: UserLedger, given catalogue: CatalogueVersions, at: Instant)
        {
            length = ledger.entries.count
            lastRecordedAt = ledger.entries.last?.recordedAt
            catalogueVersion = catalogue.latest.number
            holdsFrom = at
            holdsUntil = folded.holdsUntil
            let body = StatusBody(folded.status, StatusBody.Parts())
            answer = Answer(substance: Array(body.substance), entityTag: body.entityTag)
        }

        func holds(for ledger: UserLedger, given catalogue: CatalogueVersions, at: Instant) -> Bool {
            length == ledger.entries.count && lastRecordedAt == ledger.entries.last?.recordedAt
                && catalogueVersion == catalogue.latest.number && holdsFrom <= at && at < holdsUntil
        }
    }

    private let answers = Mutex(BoundedCache<UserID, CachedAnswer>(capacity: capacity) { $0.bytes })

    /// Drops the answer about somebody who is erased.
    func forget(_ user: UserID) {
        answers.withLock { $0[user] = nil }
    }

    /// The answer about `ledger` at `at`: the cached one if it still holds, else what `fold` gives.
    func answer(
        about ledger: UserLedger, given catalogue: CatalogueVersions, at: Instant,
        fold: (UserLedger, CatalogueVersions, Instant) -> API.Dependencies.Folded
    ) -> Answer {
        if let cached = answers.withLock({ $0[ledger.user] }), cached.holds(for: ledger, given: catalogue, at: at) {
            return cached.answer
        }
        let fresh = CachedAnswer(fold(ledger, catalogue, at), of: ledger, given: catalogue, at: at)
        answers.withLock { $0[ledger.user] = fresh }
        return fresh.answer
    }
}

import Entitlements
import LedgerStore
import Synchronization

/// Answers to the plain question for the status, kept for as long as they stay true.
///
/// An answer depends on the ledger, the catalogue and the instant. A user's ledger only grows and its entries' instants
/// strictly increase, so its length and last instant name it; and between two changes of the timeline only the instant
/// that the answer names differs. So nothing has to be told to forget. Whoever comes back under an erased user's id has a
/// ledger whose instants lie behind the old one's.
final class StatusAnswers: Sendable {
    /// How many users' answers are kept.
    private static let capacity = 8_192

    /// An answer without the instant it is about.
    struct Answer: Sendable {
        let substance: [UInt8]
        let entityTag: EntityTag
    }

    /// An answer, what it was made from, and from when to when it holds.
    private struct Kept: Sendable {
        let length: Int
        let lastRecordedAt: Instant?
        let catalogueVersion: Int
        let holdsFrom: Instant
        let holdsUntil: Instant
        let answer: Answer
    }

    private let kept = Mutex(BoundedCache<UserID, Kept>(capacity: capacity))

    /// Drops the answer about somebody who was erased.
    func forget(_ user: UserID) {
        kept.withLock { $0[user] = nil }
    }

    /// The answer about `ledger` at `at`: the one at hand if it still holds, else what `fold` gives.
    func answer(
        about ledger: UserLedger, given catalogue: CatalogueVersions, at: Instant,
        fold: (UserLedger, CatalogueVersions, Instant) -> API.Dependencies.Folded
    ) -> Answer {
        let version = catalogue.latest.number
        let lastRecordedAt = ledger.entries.last?.recordedAt
        let atHand = kept.withLock { $0[ledger.user] }
        if let atHand, atHand.length == ledger.entries.count, atHand.lastRecordedAt == lastRecordedAt,
            atHand.catalogueVersion == version, atHand.holdsFrom <= at, at < atHand.holdsUntil
        {
            return atHand.answer
        }
        let folded = fold(ledger, catalogue, at)
        let body = StatusBody(folded.status, StatusBody.Parts())
        let answer = Answer(substance: Array(body.substance), entityTag: body.entityTag)
        let fresh = Kept(
            length: ledger.entries.count, lastRecordedAt: lastRecordedAt, catalogueVersion: version, holdsFrom: at,
            holdsUntil: folded.holdsUntil, answer: answer)
        kept.withLock { $0[ledger.user] = fresh }
        return answer
    }
}

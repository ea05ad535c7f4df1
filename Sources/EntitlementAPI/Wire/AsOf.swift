import Entitlements
import LedgerStore

/// The instants in a query: `?at=`, which the answer is about, and `?known_at=`, which limits the facts to those
/// recorded by then (`semantics.md` §1).
struct AsOf {
    let at: Instant
    /// The instant by which facts must have been recorded to count; nil if all facts count.
    let knownAt: Instant?

    /// - Throws: `invalid_request` for a malformed instant.
    init(_ query: Query, now: Instant) throws(Problem) {
        at = try query.instant("at") ?? now
        knownAt = try query.instant("known_at")
    }

    /// The part of `ledger` that was recorded by ``knownAt``.
    func known(of ledger: UserLedger) -> UserLedger {
        knownAt.map { ledger.known(at: $0) } ?? ledger
    }

    /// True if a question was asked by ``at``, and had its present state by ``knownAt``.
    func isKnown(_ asked: ConsumptionRequest) -> Bool {
        asked.question.askedAt <= at && asked.changedAt <= knownAt ?? .distantFuture
    }
}

import Entitlements

/// Which instant an answer is about, by what this server knew when: `?at=` and `?known_at=` (`semantics.md` §1).
struct AsOf {
    let at: Instant
    /// Nil for all that is known.
    let knownAt: Instant?

    /// - Throws: `invalid_request` for what is no instant.
    init(_ query: Query, now: Instant) throws(Problem) {
        at = try query.instant("at") ?? now
        knownAt = try query.instant("known_at")
    }

    /// The part of `ledger` that was known then.
    func known(of ledger: UserLedger) -> UserLedger {
        knownAt.map { ledger.known(at: $0) } ?? ledger
    }
}

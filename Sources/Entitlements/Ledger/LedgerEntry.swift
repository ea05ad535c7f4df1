/// Something that happened, kept for ever and never edited (`semantics.md` §1).
package enum Fact: Hashable, Sendable {
    /// A signed state of a purchase that this user owns.
    case evidence(VerifiedPurchase)
    /// The purchase became this user's.
    case bound(PurchaseKey)

    /// The purchase that the fact is about.
    package var purchase: PurchaseKey {
        switch self {
        case .evidence(let state): state.key
        case .bound(let key): key
        }
    }

    /// The signed state that the fact is, if it is one.
    package var state: VerifiedPurchase? {
        switch self {
        case .evidence(let state): state
        case .bound: nil
        }
    }
}

/// A fact in one user's ledger, with its two times.
///
/// A user's ledger holds everything that their answers are made of: binding a purchase enters the states that are
/// known by then, and every later state is entered when it is recorded. So `known_at` is a prefix of the ledger.
package struct LedgerEntry: Hashable, Sendable {
    /// When it holds in the world.
    package let effectiveAt: Instant
    /// When this server learned it; strictly increasing within one user.
    package let recordedAt: Instant
    package let fact: Fact

    package init(effectiveAt: Instant, recordedAt: Instant, fact: Fact) {
        self.effectiveAt = effectiveAt
        self.recordedAt = recordedAt
        self.fact = fact
    }
}

/// One user's ledger, in the order of recording.
package struct UserLedger: Hashable, Sendable {
    package let user: UserID
    package private(set) var entries: [LedgerEntry]

    package init(user: UserID, entries: [LedgerEntry] = []) {
        self.user = user
        self.entries = entries
    }

    /// Appends facts as learned at `now`: each gets the next free instant, `max(now, last + 1)` (`semantics.md` §1).
    package mutating func append(_ facts: [(effectiveAt: Instant, fact: Fact)], at now: Instant) {
        for (effectiveAt, fact) in facts {
            let recordedAt = entries.last.map { max(now, $0.recordedAt + 1) } ?? now
            entries.append(LedgerEntry(effectiveAt: effectiveAt, recordedAt: recordedAt, fact: fact))
        }
    }

    /// The ledger as it stood at `instant`.
    package func known(at instant: Instant) -> UserLedger {
        UserLedger(user: user, entries: Array(entries.prefix { $0.recordedAt <= instant }))
    }
}

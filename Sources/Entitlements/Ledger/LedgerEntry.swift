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
    /// Who did it and why, for what people did.
    package let note: Note?

    package init(effectiveAt: Instant, recordedAt: Instant, fact: Fact, note: Note? = nil) {
        self.effectiveAt = effectiveAt
        self.recordedAt = recordedAt
        self.fact = fact
        self.note = note
    }

    /// A fact on its way into a ledger, which will say when it was learned.
    package struct Draft: Hashable, Sendable {
        package let effectiveAt: Instant
        package let fact: Fact
        package let note: Note?

        package init(_ fact: Fact, at effectiveAt: Instant, note: Note? = nil) {
            self.effectiveAt = effectiveAt
            self.fact = fact
            self.note = note
        }
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
    package mutating func append(_ drafts: [LedgerEntry.Draft], at now: Instant) {
        for draft in drafts {
            let recordedAt = entries.last.map { max(now, $0.recordedAt + 1) } ?? now
            entries.append(
                LedgerEntry(
                    effectiveAt: draft.effectiveAt, recordedAt: recordedAt, fact: draft.fact, note: draft.note))
        }
    }

    /// The ledger as it stood at `instant`.
    package func known(at instant: Instant) -> UserLedger {
        UserLedger(user: user, entries: Array(entries.prefix { $0.recordedAt <= instant }))
    }
}

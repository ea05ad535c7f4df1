/// A fact in one user's ledger, with its two times.
///
/// A user's ledger holds everything that their answers are made of: binding a purchase enters the states that are
/// known by then, and every later state is entered when it is recorded. So `known_at` is a prefix of the ledger.
package struct LedgerEntry: Hashable, Sendable {
    /// When it holds in the world.
    package let effectiveAt: Instant
    /// When this server learned the fact; strictly increasing within one user.
    package let recordedAt: Instant
    package let fact: Fact
    /// True if the user did the act by themselves, not a server: an act with credits, a device or a consent.
    package let isOwnAct: Bool
    /// The digest of the words of who did it and why, for an act of people.
    package let note: NoteDigest?

    package init(
        effectiveAt: Instant, recordedAt: Instant, fact: Fact, isOwnAct: Bool = false, note: NoteDigest? = nil
    ) {
        self.effectiveAt = effectiveAt
        self.recordedAt = recordedAt
        self.fact = fact
        self.isOwnAct = isOwnAct
        self.note = note
    }

    /// A fact on its way into a ledger, which will say when it was learned.
    package struct Draft: Hashable, Sendable {
        package let effectiveAt: Instant
        package let fact: Fact
        /// New words.
        package let note: Note?
        /// Words that stand already, of a fact that goes along with a purchase.
        package let kept: NoteDigest?

        package init(_ fact: Fact, at effectiveAt: Instant, note: Note? = nil, kept: NoteDigest? = nil) {
            self.effectiveAt = effectiveAt
            self.fact = fact
            self.note = note
            self.kept = kept
        }

        /// True if the user does the act by themselves.
        package var isOwnAct: Bool { fact.isUserAct && note?.actor == nil }
    }
}

/// A user's ledger, in the order of recording.
package struct UserLedger: Sendable {
    package let user: UserID
    package private(set) var entries: ChunkedList<LedgerEntry>
    /// The entries that put the user on the list of sandbox testers, or took them off.
    private(set) var testerEntries: [LedgerEntry] = []
    /// The fold of the entries, if they were folded before; it can always be made anew.
    private(set) var fold: KeptFold?

    package init(user: UserID, entries: some Sequence<LedgerEntry> = []) {
        self.user = user
        self.entries = []
        append(contentsOf: entries)
    }

    /// Appends facts as learned at `now`: each gets the next free instant, `max(now, last + 1)` (`semantics.md` §1),
    /// and of its words what `digest` makes of them.
    package mutating func append(
        _ drafts: [LedgerEntry.Draft], at now: Instant,
        digesting digest: (LedgerEntry.Draft) -> NoteDigest? = { $0.kept }
    ) {
        for draft in drafts {
            let recordedAt = entries.last.map { max(now, $0.recordedAt + 1) } ?? now
            append(
                LedgerEntry(
                    effectiveAt: draft.effectiveAt, recordedAt: recordedAt, fact: draft.fact,
                    isOwnAct: draft.isOwnAct, note: digest(draft)))
        }
    }

    /// Appends entries that were recorded after all others.
    package mutating func append(contentsOf entries: some Sequence<LedgerEntry>) {
        for entry in entries { append(entry) }
    }

    private mutating func append(_ entry: LedgerEntry) {
        entries.append(entry)
        if case .sandboxTester = entry.fact { testerEntries.append(entry) }
        fold = fold?.adding(entry)
    }

    /// Keeps the fold of the entries, so that the next fold need not begin anew.
    package mutating func keepFold(given catalogue: CatalogueVersions, settings: EntitlementSettings) {
        guard !hasFold(given: catalogue, settings: settings) else { return }
        fold = KeptFold(Timeline(folding: self, given: catalogue, settings: settings))
    }

    /// True if a timeline goes along with the ledger.
    package var isFolded: Bool { fold != nil }

    /// True if the ledger was folded before with this catalogue and these settings.
    package func hasFold(given catalogue: CatalogueVersions, settings: EntitlementSettings) -> Bool {
        fold?.timeline.isFolded(given: catalogue, settings: settings) ?? false
    }

    /// The ledger as it stood at `instant`.
    package func known(at instant: Instant) -> UserLedger {
        UserLedger(user: user, entries: entries.prefix { $0.recordedAt <= instant })
    }
}

extension UserLedger: Hashable {
    package static func == (left: UserLedger, right: UserLedger) -> Bool {
        left.user == right.user && left.entries == right.entries
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(user)
        hasher.combine(entries)
    }
}

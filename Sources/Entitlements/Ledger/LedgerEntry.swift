/// An entry of one user's ledger: a fact with its two times.
///
/// A ledger holds everything on which the user's answers depend. When a user gets a purchase, the states that are known
/// by then are entered, and every later state is entered when it is recorded. So a query with `known_at` reads a prefix
/// of the ledger.
package struct LedgerEntry: Hashable, Sendable {
    /// The instant from which the fact holds in the world.
    package let effectiveAt: Instant
    /// The instant at which this server learned the fact. It strictly increases within one ledger.
    package let recordedAt: Instant
    package let fact: Fact
    /// True for an act with credits, a device or a consent that the user did without a server.
    package let isOwnAct: Bool
    /// The digest of the note that says who did an act and why; nil if there is no note.
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

    /// A fact that is to be appended to a ledger, which then gives it its `recordedAt`.
    package struct Draft: Hashable, Sendable {
        package let effectiveAt: Instant
        package let fact: Fact
        /// The note that is recorded with the fact.
        package let note: Note?
        /// The digest of a note that exists already. A fact that a transfer copies to the receiver's ledger keeps its
        /// note.
        package let kept: NoteDigest?

        package init(_ fact: Fact, at effectiveAt: Instant, note: Note? = nil, kept: NoteDigest? = nil) {
            self.effectiveAt = effectiveAt
            self.fact = fact
            self.note = note
            self.kept = kept
        }

        /// True for an act that the user does without a server or an operator.
        package var isOwnAct: Bool { fact.isUserAct && note?.actor == nil }
    }
}

/// The ledger of one user, with its entries in the order of recording.
package struct UserLedger: Sendable {
    package let user: UserID
    package private(set) var entries: ChunkedList<LedgerEntry>
    /// The entries that put the user on the list of sandbox testers, or took them off.
    private(set) var testerEntries: [LedgerEntry] = []
    /// The timeline of the entries, if they were folded before. It is only a cache.
    private(set) var fold: KeptFold?

    package init(user: UserID, entries: some Sequence<LedgerEntry> = []) {
        self.user = user
        self.entries = []
        append(contentsOf: entries)
    }

    /// Appends facts that were learned at `now`. Each gets the next free instant, `max(now, last + 1)`, as its
    /// `recordedAt` (`semantics.md` §1). `digest` returns the digest of a draft's note.
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

    /// Appends entries. All of them must have been recorded after those that the ledger holds.
    package mutating func append(contentsOf entries: some Sequence<LedgerEntry>) {
        for entry in entries { append(entry) }
    }

    private mutating func append(_ entry: LedgerEntry) {
        entries.append(entry)
        if case .sandboxTester = entry.fact { testerEntries.append(entry) }
        fold = fold?.adding(entry)
    }

    /// Folds the entries and keeps the timeline, so that the next fold need not begin anew.
    package mutating func keepFold(given catalogue: CatalogueVersions, settings: EntitlementSettings) {
        guard !hasFold(given: catalogue, settings: settings) else { return }
        fold = KeptFold(Timeline(folding: self, given: catalogue, settings: settings))
    }

    /// True if the ledger keeps a timeline of its entries.
    package var isFolded: Bool { fold != nil }

    /// True if the ledger keeps a timeline that was folded with this catalogue and these settings.
    package func hasFold(given catalogue: CatalogueVersions, settings: EntitlementSettings) -> Bool {
        fold?.timeline.isFolded(given: catalogue, settings: settings) ?? false
    }

    /// Returns the ledger as it was at `instant`: the entries that were recorded by then.
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

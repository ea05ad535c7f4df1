import Entitlements

/// One batch's copy of the rows it has locked: decisions read it and change it, and it is written back at the end.
struct Workspace {
    /// A person's ledger, and where it stood when it was loaded.
    struct Person {
        let head: UserRow.Head
        let loaded: UserLedger
        /// The rows of the purchases in the ledger as loaded.
        let purchases: [PurchaseKey: UInt64]
        var ledger: UserLedger

        /// The entries that this batch appended.
        var appended: ArraySlice<LedgerEntry> { ledger.entries[loaded.entries.count...] }
    }

    /// A purchase and all of its states.
    struct Holding {
        /// Nil until it is written.
        var id: UInt64?
        var owner: UserID?
        var wasOwned = false
        var states: [State] = []
    }

    /// A state, and the row it has or will have.
    struct State {
        let purchase: VerifiedPurchase
        /// Nil until it is written.
        var id: UInt64?
        /// The row that keeps the text: nil for this row itself.
        var textOf: UInt64?
        /// For a new one whose text stands in another new one: where among the purchase's states.
        var repeats: Int?
        /// What to write, for a new one.
        let new: (evidence: Evidence, recordedAt: Instant)?
    }

    let now: Instant
    var people: [UserID: Person]
    var holdings: [PurchaseKey: Holding]
    let tokenHolders: [AccountToken: UserID]

    /// What a decision about `users` and the purchases of `evidence` may know.
    func history(for users: Set<UserID>, _ evidence: [Evidence]) -> PurchaseHistory {
        PurchaseHistory(
            now: now,
            ledgers: Dictionary(
                uniqueKeysWithValues: users.compactMap { user in people[user].map { (user, $0.ledger) } }),
            purchases: Dictionary(
                evidence.compactMap { item in
                    holdings[item.purchase.key].map {
                        (item.purchase.key, .init(owner: $0.owner, states: $0.states.map(\.purchase)))
                    }
                }, uniquingKeysWith: { first, _ in first }),
            tokenHolders: tokenHolders)
    }

    /// Keeps a state, unless it is there: repeats, and the other spellings of a signature, change nothing.
    mutating func record(_ evidence: Evidence) {
        let state = evidence.purchase
        guard var holding = holdings[state.key] else { return }
        let alike = holding.states.indices.filter { holding.states[$0].purchase.hasSameContent(as: state) }
        guard !alike.contains(where: { holding.states[$0].purchase.signedAt == state.signedAt }) else { return }
        let first = alike.first.map { holding.states[$0] }
        holding.states.append(
            State(
                purchase: state, id: nil, textOf: first.flatMap { $0.textOf ?? $0.id },
                repeats: first?.id == nil ? alike.first : nil, new: (evidence, now)))
        holdings[state.key] = holding
        if let owner = holding.owner {
            people[owner]?.append([(state.signedAt, .evidence(state))], at: now)
        }
    }

    /// Makes a purchase a user's: everything known of it enters the user's ledger.
    mutating func bind(_ key: PurchaseKey, to user: UserID) {
        guard var holding = holdings[key], holding.owner == nil else { return }
        holding.owner = user
        holdings[key] = holding
        let states = holding.states.map { ($0.purchase.signedAt, Fact.evidence($0.purchase)) }
        people[user]?.append(states + [(now, .bound(key))], at: now)
    }
}

extension Workspace.Person {
    fileprivate mutating func append(_ facts: [(effectiveAt: Instant, fact: Fact)], at now: Instant) {
        ledger.append(facts, at: now)
    }
}

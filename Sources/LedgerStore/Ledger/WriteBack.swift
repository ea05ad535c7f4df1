import Entitlements
import MariaDB

/// Writes what a batch appended to its workspace: states and texts, owners, ledger entries, heads and the projection.
struct WriteBack {
    let settings: EntitlementSettings
    let catalogue: CatalogueVersions

    /// Returns the ledgers that grew, as they are once this is committed. Throws when the database refuses a statement
    /// or is away.
    func write(_ workspace: inout Workspace, in session: Session) throws(DatabaseError) -> [LedgerCache.Kept] {
        try bindPurchases(of: workspace, in: session)
        try insertPurchases(of: &workspace, in: session)
        try insertStates(of: &workspace, in: session)
        let grown = try appendEntries(of: workspace, in: session)
        try project(workspace, in: session)
        return grown
    }

    /// A state to insert: of which purchase, and where among its states.
    private typealias Pending = (key: PurchaseKey, index: Int, new: (evidence: Evidence, recordedAt: Instant))

    /// First those whose text is kept with them, then those whose text stands in one of the first.
    private func insertStates(of workspace: inout Workspace, in session: Session) throws(DatabaseError) {
        var pending: [Pending] = []
        var repeating: [Pending] = []
        for key in workspace.holdings.keys.sorted() {
            for (index, state) in (workspace.holdings[key]?.states ?? []).enumerated() {
                guard let new = state.new else { continue }
                if state.repeats == nil {
                    pending.append((key, index, new))
                } else {
                    repeating.append((key, index, new))
                }
            }
        }
        try insert(pending, of: &workspace, in: session)
        for item in repeating {
            guard var holding = workspace.holdings[item.key], let first = holding.states[item.index].repeats else {
                continue
            }
            holding.states[item.index].textOf = holding.states[first].id
            workspace.holdings[item.key] = holding
        }
        try insert(repeating, of: &workspace, in: session)
    }

    private func insert(
        _ pending: [Pending], of workspace: inout Workspace, in session: Session
    ) throws(DatabaseError) {
        guard !pending.isEmpty else { return }
        let rows = try session.queryBulk(
            StateRow.insert,
            try pending.map { (item) throws(DatabaseError) in
                let holding = workspace.holdings[item.key]
                return StateRow.values(
                    item.new.evidence, purchase: try workspace.id(of: item.key),
                    owner: holding?.owner.flatMap { workspace.people[$0]?.head.pseudonym },
                    recordedAt: item.new.recordedAt, textOf: holding?.states[item.index].textOf)
            })
        var texts: [SignedTextRow.New] = []
        for (item, row) in zip(pending, rows) {
            let id = try row.uint64(0)
            workspace.holdings[item.key]?.states[item.index].id = id
            if workspace.holdings[item.key]?.states[item.index].textOf == nil {
                texts.append(SignedTextRow.New(state: id, text: item.new.evidence.text))
            }
        }
        try SignedTextRow.insert(texts, in: session)
    }

    /// Writes the owners of purchases that were there before.
    private func bindPurchases(of workspace: Workspace, in session: Session) throws(DatabaseError) {
        var bindings: [PurchaseRow.Binding] = []
        for (key, holding) in workspace.holdings where !holding.wasOwned {
            guard let id = holding.id, let owner = workspace.newOwner(of: key) else { continue }
            bindings.append(
                PurchaseRow.Binding(
                    purchase: id, owner: owner.pseudonym, boundAt: owner.boundAt,
                    hasEarlierStates: holding.states.contains { $0.new == nil }))
        }
        try PurchaseRow.bind(bindings.sorted { $0.purchase < $1.purchase }, in: session)
    }

    private func insertPurchases(of workspace: inout Workspace, in session: Session) throws(DatabaseError) {
        let missing = workspace.holdings.filter { $0.value.id == nil }.map(\.key).sorted()
        let known = workspace
        let ids = try PurchaseRow.insert(
            missing.map { PurchaseRow.New(key: $0, owner: known.newOwner(of: $0)) }, in: session)
        for (key, id) in zip(missing, ids) { workspace.holdings[key]?.id = id }
    }

    private func appendEntries(
        of workspace: Workspace, in session: Session
    ) throws(DatabaseError) -> [LedgerCache.Kept] {
        var states: [VerifiedPurchase: UInt64] = [:]
        for holding in workspace.holdings.values {
            for state in holding.states { states[state.purchase] = state.id }
        }
        var entries: [LedgerEntryRow.New] = []
        var heads: [UserRow.Head] = []
        var grown: [LedgerCache.Kept] = []
        for person in changed(in: workspace) {
            var head = person.head
            for entry in person.appended {
                let hash = LedgerEntryRow.hash(
                    entry, sequence: head.length + 1, pseudonym: head.pseudonym, after: head.hash)
                head = UserRow.Head(
                    pseudonym: head.pseudonym, length: head.length + 1, lastRecordedAt: entry.recordedAt, hash: hash)
                entries.append(
                    LedgerEntryRow.New(
                        pseudonym: head.pseudonym, sequence: head.length, entry: entry,
                        purchase: try workspace.id(of: entry.fact.purchase),
                        state: entry.fact.state.flatMap { states[$0] }, hash: hash))
            }
            heads.append(head)
            let purchases = try person.appended.map { (entry) throws(DatabaseError) in
                (entry.fact.purchase, try workspace.id(of: entry.fact.purchase))
            }
            grown.append(
                LedgerCache.Kept(
                    head: head.hash, ledger: person.ledger,
                    purchases: person.purchases.merging(purchases) { first, _ in first }))
        }
        try LedgerEntryRow.append(entries, in: session)
        try UserRow.move(heads, in: session)
        return grown
    }

    /// Writes the rows of the projection that the appended facts change, and removes those that they end.
    private func project(_ workspace: Workspace, in session: Session) throws(DatabaseError) {
        var rows: [SubscriptionRow] = []
        var ended: [UInt64] = []
        for person in changed(in: workspace) {
            let before = Set(subscriptions(in: person.loaded))
            let after = subscriptions(in: person.ledger)
            let row = { (key: PurchaseKey) in person.purchases[key] ?? workspace.holdings[key]?.id }
            for subscription in after where !before.contains(subscription) {
                guard let id = row(subscription.key) else { continue }
                rows.append(SubscriptionRow(purchase: id, user: person.head.pseudonym, subscription: subscription))
            }
            let kept = Set(after.map(\.key))
            ended += before.filter { !kept.contains($0.key) }.compactMap { row($0.key) }
        }
        try SubscriptionRow.remove(ended.sorted(), in: session)
        try SubscriptionRow.write(rows.sorted { $0.purchase < $1.purchase }, in: session)
    }

    private func subscriptions(in ledger: UserLedger) -> [Subscription] {
        Timeline(folding: ledger, given: catalogue, settings: settings).subscriptions
    }

    private func changed(in workspace: Workspace) -> [Workspace.Person] {
        workspace.people.values.filter { !$0.appended.isEmpty }.sorted { $0.head.pseudonym < $1.head.pseudonym }
    }
}

extension Workspace {
    /// Who got the purchase in this batch, and since when.
    fileprivate func newOwner(of key: PurchaseKey) -> (pseudonym: UInt64, boundAt: Instant)? {
        guard let holding = holdings[key], !holding.wasOwned, let owner = holding.owner.flatMap({ people[$0] }),
            let bound = owner.appended.last(where: { $0.fact == .bound(key) })
        else { return nil }
        return (owner.head.pseudonym, bound.recordedAt)
    }

    /// The row of a purchase; `.misuse` when it was not written.
    fileprivate func id(of key: PurchaseKey) throws(DatabaseError) -> UInt64 {
        guard let id = holdings[key]?.id else { throw DatabaseError(.misuse, statement: "write back") }
        return id
    }
}

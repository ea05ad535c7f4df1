import Entitlements
import MariaDB

/// Writes what a batch appended to its workspace: states and texts, owners, ledger entries, heads and the projection.
struct WriteBack {
    let settings: LedgerSettings
    let catalogue: CatalogueVersions
    /// The rows of the texts' headers.
    let headers: [SignedText.Header: UInt64]
    let salt: @Sendable () -> [UInt8]

    /// What was written.
    struct Written {
        /// The ledgers that grew, to be kept at hand once this is committed.
        let grown: [LedgerCache.Kept]
        /// Where one of them stands then; nil when none grew.
        let head: UserRow.Head?
        /// What they give then.
        let folded: [UserID: FoldedLedger]
    }

    /// Throws when the database refuses a statement or is away.
    func write(_ workspace: inout Workspace, in session: Session) throws(DatabaseError) -> Written {
        try handOver(in: workspace, session)
        try moveTokens(of: workspace, in: session)
        try insertPurchases(of: &workspace, in: session)
        try addFormerHolders(of: workspace, in: session)
        try callByName(workspace, in: session)
        try insertStates(of: &workspace, in: session)
        let (grown, head) = try appendEntries(of: workspace, in: session)
        return Written(grown: grown, head: head, folded: try project(workspace, in: session))
    }

    /// A state to insert: of which purchase, and where among its states.
    private typealias Pending = (key: PurchaseKey, index: Int, new: (evidence: Evidence, recordedAt: Instant))

    /// First those whose text is kept with them, then those whose text stands in one of the first. Of a state that names an erased
    /// person no text is kept, and no name.
    private func insertStates(of workspace: inout Workspace, in session: Session) throws(DatabaseError) {
        var pending: [Pending] = []
        var repeating: [Pending] = []
        for key in workspace.keys {
            for (index, state) in (workspace.holdings[key]?.states ?? []).enumerated() {
                guard let new = state.new else { continue }
                if workspace.isBuried(key) {
                    workspace.holdings[key]?.states[index].contentHash = settings.tombstoneKey.tombstone(
                        ofDigest: state.contentHash)
                }
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
        try proveAgain(workspace, in: session)
    }

    /// Keeps the texts that came of what an erased person had and somebody has now, where the erasure took them.
    private func proveAgain(_ workspace: Workspace, in session: Session) throws(DatabaseError) {
        var texts: [SignedTextRow.New] = []
        for holding in workspace.keys.lazy.compactMap({ workspace.holdings[$0] })
        where holding.formerHolders.contains(where: \.isErased) {
            for state in holding.states {
                guard let evidence = state.new?.evidence ?? state.resent, let row = state.textOf ?? state.id,
                    workspace.remains(of: evidence.purchase) == nil
                else { continue }
                texts.append(SignedTextRow.New(state: row, text: evidence.text))
            }
        }
        try SignedTextRow.insert(texts, headers: headers, in: session)
    }

    private func insert(
        _ pending: [Pending], of workspace: inout Workspace, in session: Session
    ) throws(DatabaseError) {
        guard !pending.isEmpty else { return }
        let rows = try session.queryBulk(
            StateRow.insert,
            try pending.map { (item) throws(DatabaseError) in
                let holding = workspace.holdings[item.key]
                let state = item.new.evidence.purchase
                return StateRow.values(
                    workspace.remains(of: state) ?? state,
                    provedBy: item.new.evidence, contentHash: holding?.states[item.index].contentHash ?? [],
                    purchase: try workspace.row(of: item.key),
                    owner: holding?.owner.flatMap { workspace.people[$0]?.head.pseudonym },
                    recordedAt: item.new.recordedAt, textOf: holding?.states[item.index].textOf)
            })
        var texts: [SignedTextRow.New] = []
        for (item, row) in zip(pending, rows) {
            let id = try row.uint64(0)
            workspace.holdings[item.key]?.states[item.index].id = id
            let evidence = item.new.evidence
            if workspace.remains(of: evidence.purchase) == nil,
                workspace.holdings[item.key]?.states[item.index].textOf == nil
            {
                texts.append(SignedTextRow.New(state: id, text: evidence.text))
            }
        }
        try SignedTextRow.insert(texts, headers: headers, in: session)
    }

    /// Writes the owners of purchases that were there before.
    private func handOver(in workspace: Workspace, _ session: Session) throws(DatabaseError) {
        var bindings: [PurchaseRow.Binding] = []
        for key in workspace.keys {
            guard let holding = workspace.holdings[key], let id = holding.id else { continue }
            if let owner = workspace.newOwner(of: key) {
                bindings.append(
                    PurchaseRow.Binding(
                        purchase: id, owner: owner.pseudonym, boundAt: owner.boundAt,
                        hasEarlierStates: holding.states.contains { $0.new == nil }))
            }
        }
        try PurchaseRow.bind(bindings, in: session)
    }

    /// Writes who owned purchases before their owners, also of those that were made and went on in this batch.
    private func addFormerHolders(of workspace: Workspace, in session: Session) throws(DatabaseError) {
        var former: [(purchase: UInt64, holder: UInt64)] = []
        for holding in workspace.keys.lazy.compactMap({ workspace.holdings[$0] }) {
            guard let id = holding.id else { continue }
            let new = holding.formerHolders.subtracting(holding.loadedHolders)
            former += new.compactMap { workspace.people[$0]?.head.pseudonym }.sorted().map { (id, $0) }
        }
        try PurchaseRow.addFormerHolders(former, in: session)
    }

    /// Writes the names by which buried purchases of the living were told, and their transactions: they are theirs to know.
    private func callByName(_ workspace: Workspace, in session: Session) throws(DatabaseError) {
        var purchases: [(id: UInt64, name: ExternalID)] = []
        var states: [(id: UInt64, state: VerifiedPurchase)] = []
        for key in workspace.keys {
            guard let holding = workspace.holdings[key], let id = holding.id, let tombstone = holding.tombstone,
                !workspace.isBuried(key)
            else { continue }
            if !holding.isNamed, key != tombstone { purchases.append((id, key.externalID)) }
            states += holding.states.filter(\.isRecognized).compactMap { state in
                state.id.map { ($0, state.purchase) }
            }
        }
        try PurchaseRow.name(purchases, in: session)
        try StateRow.name(states, in: session)
    }

    private func moveTokens(of workspace: Workspace, in session: Session) throws(DatabaseError) {
        for token in workspace.movedTokens {
            guard let holder = workspace.tokenHolders[token].flatMap({ workspace.people[$0] }) else { continue }
            try AccountTokenRow.move(token, to: holder.head.pseudonym, in: session)
        }
    }

    /// Makes rows of purchases of which something is known now. Throws like one that another instance made first when a purchase
    /// is there after all, under its tombstone: it was bound and buried after this transaction had looked for it. Once the row
    /// under the plain number is made nobody else can bind it, so what is looked up behind it holds until the commit.
    ///
    /// They are made in the order of the index that keeps them apart, so that nobody who waits at one of them holds the gap in
    /// which the next one belongs.
    private func insertPurchases(of workspace: inout Workspace, in session: Session) throws(DatabaseError) {
        let missing = workspace.keys.filter { key in
            workspace.holdings[key].map { $0.id == nil && ($0.owner != nil || !$0.states.isEmpty) } ?? false
        }.sorted { ($0.externalID, $0) < ($1.externalID, $1) }
        let known = workspace
        let ids = try PurchaseRow.insert(
            missing.map { PurchaseRow.New(key: $0, owner: known.newOwner(of: $0)) }, in: session)
        if try PurchaseRow.isAnyBuried(of: missing, under: settings.tombstoneKey, in: session) {
            throw .duplicateKey(statement: "insert purchase")
        }
        for (key, id) in zip(missing, ids) { workspace.holdings[key]?.id = id }
    }

    private func appendEntries(
        of workspace: Workspace, in session: Session
    ) throws(DatabaseError) -> (grown: [LedgerCache.Kept], head: UserRow.Head?) {
        let states = StateRows(of: workspace)
        var entries: [(new: LedgerEntryRow.New, hash: [UInt8])] = []
        var heads: [UserRow.Head] = []
        var grown: [LedgerCache.Kept] = []
        for person in workspace.changed {
            var head = person.head
            var purchases = person.purchases
            for entry in person.appended {
                let row = try entry.fact.purchase.map { (key) throws(DatabaseError) in
                    if let row = purchases[key] { return row }
                    return try workspace.row(of: key)
                }
                let state = try entry.fact.state.map { (state) throws(DatabaseError) in try states.row(of: state) }
                let new = LedgerEntryRow.New(
                    workspace.stored(entry), pseudonym: head.pseudonym, sequence: head.length + 1, purchase: row,
                    state: state,
                    salt: salt)
                let hash = new.hash(after: head.hash)
                head = UserRow.Head(
                    pseudonym: head.pseudonym, length: head.length + 1, lastRecordedAt: entry.recordedAt, hash: hash)
                entries.append((new, hash))
                if let key = entry.fact.purchase { purchases[key] = row }
            }
            heads.append(head)
            let tombstones = workspace.tombstones.filter { purchases[$0.key] != nil }
            grown.append(
                LedgerCache.Kept(
                    pseudonym: head.pseudonym, length: head.length, head: head.hash, ledger: person.ledger,
                    purchases: purchases, tombstones: tombstones))
        }
        try LedgerEntryRow.append(entries, in: session)
        try UserRow.move(heads, in: session)
        return (grown, heads.first)
    }

    /// Writes the rows of the projection that the appended facts change, and removes those that they end; what the ledgers that
    /// grew give.
    private func project(_ workspace: Workspace, in session: Session) throws(DatabaseError) -> [UserID: FoldedLedger] {
        var folded: [UserID: FoldedLedger] = [:]
        var rows: [SubscriptionRow] = []
        var ended: [(purchase: UInt64, user: UInt64)] = []
        for person in workspace.changed {
            let before = Set(timeline(of: person.loaded).subscriptions)
            let timeline = timeline(of: person.ledger)
            folded[person.ledger.user] = FoldedLedger(length: person.ledger.entries.count, timeline: timeline)
            let after = timeline.subscriptions
            let user = person.head.pseudonym
            let row = { (key: PurchaseKey) in person.purchases[key] ?? workspace.holdings[key]?.id }
            for subscription in after where !before.contains(subscription) {
                guard let id = row(subscription.key) else { continue }
                rows.append(
                    SubscriptionRow(
                        purchase: id, user: user, externalID: workspace.stored(subscription.key).externalID,
                        subscription: subscription))
            }
            let kept = Set(after.map(\.key))
            ended += before.filter { !kept.contains($0.key) }.compactMap { row($0.key) }.map { ($0, user) }
        }
        try SubscriptionRow.remove(ended.sorted { $0 < $1 }, in: session)
        try SubscriptionRow.write(rows.sorted { ($0.purchase, $0.user) < ($1.purchase, $1.user) }, in: session)
        return folded
    }

    private func timeline(of ledger: UserLedger) -> Timeline {
        Timeline(folding: ledger, given: catalogue, settings: settings.entitlements)
    }
}

/// The rows of the states in a workspace, found by what they say.
private struct StateRows {
    private let holdings: [PurchaseKey: Workspace.Holding]
    private var rows: [VerifiedPurchase: (id: UInt64, contentHash: [UInt8])] = [:]

    init(of workspace: Workspace) {
        holdings = workspace.holdings
        for state in holdings.values.flatMap(\.states) {
            if let id = state.id { rows[state.purchase] = (id, state.contentHash) }
        }
    }

    /// A ledger at hand may still name what was erased from the row since. Throws `.misuse` for a state that is not in the
    /// workspace.
    func row(of state: VerifiedPurchase) throws(DatabaseError) -> (id: UInt64, contentHash: [UInt8]) {
        if let row = rows[state] { return row }
        let alike = holdings[state.key]?.states.first { $0.purchase.withoutNames == state.withoutNames }
        guard let alike, let id = alike.id else { throw DatabaseError(.misuse, statement: "write back") }
        return (id, alike.contentHash)
    }
}

extension Workspace {
    fileprivate var changed: [Person] {
        people.values.filter { !$0.appended.isEmpty }.sorted { $0.head.pseudonym < $1.head.pseudonym }
    }

    /// Who got the purchase in this batch, and since when; nil when its owner is the one that its row names.
    fileprivate func newOwner(of key: PurchaseKey) -> (pseudonym: UInt64, boundAt: Instant)? {
        guard let holding = holdings[key], holding.owner != holding.loadedOwner, let since = holding.ownedSince,
            let owner = holding.owner.flatMap({ people[$0] })
        else { return nil }
        return (owner.head.pseudonym, since)
    }

    /// The row of a purchase; `.misuse` when it was not written.
    fileprivate func row(of key: PurchaseKey) throws(DatabaseError) -> UInt64 {
        guard let id = holdings[key]?.id else { throw DatabaseError(.misuse, statement: "write back") }
        return id
    }
}

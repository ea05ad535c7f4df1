import Entitlements
import MariaDB

/// Writes the changes of a workspace to the database: states and texts, owners, ledger entries, heads, the projection
/// and deliveries.
struct WriteBack {
    let catalogue: CatalogueVersions
    let projection: Projection
    /// The ids of the rows of `signed_headers`, for the texts in the evidence.
    let headers: [SignedText.Header: UInt64]
    let labels: Labels

    /// The ledgers that were written, and their new timelines.
    struct Written {
        /// The ledgers that grew, which are cached once the transaction is committed.
        let grown: [LedgerCache.CachedLedger]
        /// The new heads of the ledgers that grew.
        let heads: [UserRow.Head]
        /// The new timelines of the users whose coverage may have changed.
        let folded: [UserID: FoldedLedger]
    }

    /// Writes everything that the batch changed. Throws when the database refuses a statement or is away, and `.misuse`
    /// when a purchase has no row.
    func write(_ workspace: inout Workspace, in session: Session) throws(DatabaseError) -> Written {
        let known = Set(workspace.keys.filter { workspace.holdings[$0]?.id != nil })
        try handOver(in: workspace, session)
        try AccountTokenRow.write(workspace, in: session)
        try moveLookups(of: workspace, in: session)
        try insertPurchases(of: &workspace, in: session)
        try addFormerHolders(of: workspace, in: session)
        try insertStates(of: &workspace, in: session)
        try RefusedClaimRow.keep(of: workspace, in: session)
        try writeWaiting(of: workspace, in: session)
        try NoteRow.insert(workspace.notes, in: session)
        let (grown, heads) = try appendEntries(of: workspace, in: session)
        let folded = try project(workspace, in: session)
        try write(workspace.placements, in: workspace, session)
        try placeDeliveries(of: workspace, known: known, in: session)
        try oweAccountTokens(of: workspace, in: session)
        try touch(workspace, known: known, in: session)
        return Written(grown: grown, heads: heads, folded: folded)
    }

    /// A state to insert: its purchase, its index among the purchase's states, and its proof.
    private typealias Pending = (key: PurchaseKey, index: Int, new: (proof: Evidence.Proof, recordedAt: Instant))

    /// Inserts the new states whose own rows keep their texts. Then it inserts the new states that refer to one of
    /// these rows for the text.
    private func insertStates(of workspace: inout Workspace, in session: Session) throws(DatabaseError) {
        var pending: [Pending] = []
        var repeating: [Pending] = []
        for key in workspace.keys {
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

    /// Inserts states and their texts.
    ///
    /// No text is stored of a purchase that an erased person has or had. No text is stored either if nobody has the
    /// purchase and the text names an erased person (`semantics.md` §5).
    private func insert(
        _ pending: [Pending], of workspace: inout Workspace, in session: Session
    ) throws(DatabaseError) {
        guard !pending.isEmpty else { return }
        let rows = try session.queryBulk(
            StateRow.insert,
            try pending.map { (item) throws(DatabaseError) in
                guard let holding = workspace.holdings[item.key] else { throw workspace.misuse }
                let state = holding.states[item.index]
                return StateRow.New(
                    state: state.purchase, statement: state.statement, proof: item.new.proof,
                    contentHash: state.contentHash,
                    purchase: try workspace.row(of: item.key),
                    owner: holding.owner.flatMap { workspace.people[$0]?.head.pseudonym },
                    recordedAt: item.new.recordedAt, textOf: state.textOf
                ).values
            })
        let erased = try AccountTokenRow.erased(among: namesOfUnowned(pending, workspace), in: session)
        var texts: [SignedTextRow.New] = []
        for (item, row) in zip(pending, rows) {
            let id = try row.uint64(0)
            workspace.holdings[item.key]?.states[item.index].id = id
            guard let holding = workspace.holdings[item.key], holding.states[item.index].textOf == nil,
                !holding.holders.contains(where: \.isErased),
                holding.owner != nil || holding.states[item.index].purchase.names.isDisjoint(with: erased)
            else { continue }
            texts.append(SignedTextRow.New(state: id, text: item.new.proof.text))
        }
        try SignedTextRow.insert(texts, headers: headers, in: session)
    }

    private func namesOfUnowned(_ pending: [Pending], _ workspace: Workspace) -> Set<Label> {
        var names: Set<Label> = []
        for item in pending {
            guard let holding = workspace.holdings[item.key], holding.owner == nil else { continue }
            names.formUnion(holding.states[item.index].purchase.names)
        }
        return names
    }

    /// Writes the new owners of purchases that already have rows.
    private func handOver(in workspace: Workspace, _ session: Session) throws(DatabaseError) {
        var bindings: [HolderRow.Binding] = []
        for key in workspace.keys {
            guard let holding = workspace.holdings[key], let id = holding.id else { continue }
            if let owner = workspace.newOwner(of: key) {
                bindings.append(
                    HolderRow.Binding(
                        purchase: id, owner: owner.pseudonym, boundAt: owner.boundAt,
                        hasEarlierStates: holding.states.contains { $0.new == nil }))
            }
        }
        try HolderRow.bind(bindings, in: session)
    }

    /// Writes the former holders of purchases, including purchases that this batch both made and moved.
    private func addFormerHolders(of workspace: Workspace, in session: Session) throws(DatabaseError) {
        var former: [(purchase: UInt64, holder: UInt64)] = []
        for holding in workspace.keys.lazy.compactMap({ workspace.holdings[$0] }) {
            guard let id = holding.id else { continue }
            let new = holding.formerHolders.subtracting(holding.loadedHolders)
            former += new.compactMap { workspace.people[$0]?.head.pseudonym }.sorted().map { (id, $0) }
        }
        try HolderRow.addFormer(former, in: session)
    }

    /// Hands look-ups and refused claims of a merged guest to the user for whom the guest's name stands now.
    private func moveLookups(of workspace: Workspace, in session: Session) throws(DatabaseError) {
        guard !workspace.movedTokens.isEmpty else { return }
        for (guest, person) in workspace.people.sorted(by: { $0.key < $1.key }) {
            let name = labels.mention(of: guest)
            guard workspace.movedTokens.contains(name), let user = workspace.tokenHolders[name], user != guest,
                let heir = workspace.people[user]?.head.pseudonym
            else { continue }
            try LookupRow.move(from: person.head.pseudonym, to: heir, at: workspace.now, in: session)
            try RefusedClaimRow.move(from: person.head.pseudonym, to: heir, in: session)
        }
    }

    /// Stores the statements that wait for an owner, and removes the waiting statements that have entered a ledger.
    private func writeWaiting(of workspace: Workspace, in session: Session) throws(DatabaseError) {
        var new: [(purchase: UInt64, statement: Statement)] = []
        var entered: [UInt64] = []
        for holding in workspace.keys.lazy.compactMap({ workspace.holdings[$0] }) {
            guard let id = holding.id else { continue }
            if holding.owner == nil {
                new += holding.brought.dropFirst(holding.waiting).map { (id, $0) }
            } else if holding.waiting > 0 {
                entered.append(id)
            }
        }
        try WaitingStatementRow.insert(new, at: workspace.now, in: session)
        try WaitingStatementRow.remove(of: entered, in: session)
    }

    /// Inserts the rows of purchases that have an owner or a statement and no row yet.
    ///
    /// They are inserted in the order of their unique index. So a transaction that waits for one of these rows does not
    /// hold a gap lock where the next one belongs.
    private func insertPurchases(of workspace: inout Workspace, in session: Session) throws(DatabaseError) {
        let missing = workspace.keys.filter { key in
            guard let holding = workspace.holdings[key], holding.id == nil else { return false }
            return holding.owner != nil || !holding.states.isEmpty || !holding.brought.isEmpty
        }.sorted { ($0.externalID, $0) < ($1.externalID, $1) }
        let known = workspace
        let ids = try PurchaseRow.insert(
            missing.map { PurchaseRow.New(key: $0, owner: known.newOwner(of: $0)) }, at: workspace.now, in: session)
        for (key, id) in zip(missing, ids) { workspace.holdings[key]?.id = id }
    }

    private func appendEntries(
        of workspace: Workspace, in session: Session
    ) throws(DatabaseError) -> (grown: [LedgerCache.CachedLedger], heads: [UserRow.Head]) {
        let states = workspace.rowsOfStates
        var entries: [(new: LedgerEntryRow.New, hash: [UInt8])] = []
        var heads: [UserRow.Head] = []
        var grown: [LedgerCache.CachedLedger] = []
        for person in workspace.changed {
            var head = person.head
            var purchases = person.purchases
            for entry in person.appended {
                if let key = entry.fact.purchase, purchases[key] == nil {
                    purchases[key] = try workspace.row(of: key)
                }
                let state = entry.fact.state.flatMap { states[$0] }
                let new = LedgerEntryRow.New(
                    entry, saying: state?.statement ?? FactContent.of(entry.fact).json, pseudonym: head.pseudonym,
                    sequence: head.length + 1, purchase: entry.fact.purchase.flatMap { purchases[$0] },
                    state: state?.id)
                let hash = new.hashed.bytes(after: head.hash)
                head = UserRow.Head(
                    pseudonym: head.pseudonym, length: head.length + 1, lastRecordedAt: entry.recordedAt, hash: hash)
                entries.append((new, hash))
            }
            heads.append(head)
            grown.append(
                LedgerCache.CachedLedger(
                    pseudonym: head.pseudonym, length: head.length, head: head.hash, ledger: person.ledger,
                    purchases: purchases))
        }
        try LedgerEntryRow.append(entries, in: session)
        try UserRow.move(heads, in: session)
        return (grown, heads)
    }

    /// Folds the ledgers that are new, or whose coverage the new facts may change, and writes the rows that are derived
    /// from them: the changed rows of `subscriptions`, the chains, and the standings. Returns the new timelines.
    private func project(_ workspace: Workspace, in session: Session) throws(DatabaseError) -> [UserID: FoldedLedger] {
        let changed = workspace.changed.filter { $0.head.length == 0 || $0.mayCoverOtherwise }
        let known = try SubscriptionRow.load(of: changed.map(\.head.pseudonym), in: session)
        let before = Dictionary(grouping: known, by: \.user).mapValues { Set($0) }
        var folded: [UserID: FoldedLedger] = [:]
        var written: [SubscriptionRow] = []
        var ended: [SubscriptionRow] = []
        var chains: [ChainRow] = []
        for person in changed {
            let (ledger, user) = (person.ledger, person.head.pseudonym)
            let timeline = Timeline(
                folding: ledger, given: catalogue, settings: projection.settings, testersAt: workspace.now)
            folded[ledger.user] = FoldedLedger(
                length: ledger.entries.count, timeline: timeline,
                row: projection.standing(
                    of: ledger, in: timeline, user, length: person.head.length + person.appended.count,
                    at: workspace.now))
            let rows = projection.subscriptions(of: timeline, user) {
                person.purchases[$0] ?? workspace.holdings[$0]?.id
            }
            if !ledger.user.isErased {
                chains += projection.chains(of: timeline) { person.purchases[$0] ?? workspace.holdings[$0]?.id }
            }
            let (stored, kept) = (before[user] ?? [], Set(rows.map(\.purchase)))
            written += rows.filter { !stored.contains($0) }
            ended += stored.filter { !kept.contains($0.purchase) }
        }
        try SubscriptionRow.remove(ended, in: session)
        try SubscriptionRow.write(written, in: session)
        try ChainRow.write(chains, in: session)
        try StandingRow.write(folded.values.compactMap(\.row), in: session)
        return folded
    }

    /// Writes the placements of deliveries, and the numbers and customers that became known by them. Then it wakes the
    /// deliveries that wait for these.
    private func write(
        _ placements: [Placement], in workspace: Workspace, _ session: Session
    ) throws(DatabaseError) {
        let now = workspace.now
        var known: [[String]] = []
        for placement in placements {
            var learned = try PurchaseNumberRow.insert(
                placement.numbers, toldBy: placement.delivery, at: now, in: session)
            if let purchase = placement.purchase { learned.append(purchase.text) }
            if let customer = placement.customer, let person = workspace.people[customer.user] {
                try AccountTokenRow.remember(customer.label, as: person.head.pseudonym, at: now, in: session)
                learned.append(customer.label.text)
            }
            known.append(learned)
        }
        for placement in placements {
            try DeliveryMentionRow.insert(
                placement.awaited, of: placement.delivery, isAwaited: true, in: session)
            try InboxDeliveryRow.settle(placement, at: now, in: session)
            try JobRow.remove(.delivery, about: placement.delivery, in: session)
            if let question = placement.question {
                let owner = workspace.holdings[question.purchase]?.owner.flatMap { $0.isErased ? nil : $0 }
                try ConsumptionRequestRow.ask(
                    question, of: owner.flatMap { workspace.people[$0]?.head.pseudonym }, at: now, in: session)
            }
        }
        for (placement, known) in zip(placements, known) {
            try DeliveryMentionRow.wake(awaiting: known, besides: placement.delivery, at: now, in: session)
        }
    }

    /// Writes the locked rows that this batch relies on and does not write otherwise, if it writes anything. `known`
    /// are the purchases that had rows before.
    ///
    /// A node of a Galera cluster does not know the locks of another node: it finds conflicts only between rows that
    /// both write.
    private func touch(
        _ workspace: Workspace, known: Set<PurchaseKey>, in session: Session
    ) throws(DatabaseError) {
        guard workspace.writesAnything else { return }
        let people = workspace.people.values.filter(\.appended.isEmpty)
        try UserRow.touch(people.map(\.head.pseudonym).sorted(), in: session)
        let purchases = known.filter { workspace.newOwner(of: $0) == nil }
        try PurchaseRow.touch(purchases.compactMap { workspace.holdings[$0]?.id }.sorted(), in: session)
    }

    /// Adds a job for each purchase of the App Store of which the App Store should learn the owner's account token: its
    /// owner is sure, it carries no token, and no family shares it (`semantics.md` §5).
    private func oweAccountTokens(of workspace: Workspace, in session: Session) throws(DatabaseError) {
        for key in workspace.proven.sorted() where key.source == .appleIAP {
            guard let holding = workspace.holdings[key], let id = holding.id, holding.owner?.isErased == false,
                holding.states.allSatisfy({ $0.purchase.accountToken == nil && !$0.purchase.isFamilyShared })
            else { continue }
            try JobRow.wake(.accountToken, about: id, now: workspace.now, in: session)
        }
    }

    /// Settles the parked deliveries about purchases that had no owner before this batch and have one now. The
    /// customers for whom these deliveries waited are remembered as names of that owner.
    ///
    /// `known` are the purchases that had rows before this batch. Purchases that this batch inserted are included only
    /// if the batch placed deliveries.
    private func placeDeliveries(
        of workspace: Workspace, known: Set<PurchaseKey>, in session: Session
    ) throws(DatabaseError) {
        let keys = workspace.placements.isEmpty ? workspace.keys.filter(known.contains) : workspace.keys
        let bound = keys.compactMap { workspace.holdings[$0] }.filter { $0.owner != nil && $0.loadedOwner == nil }
        let purchases = bound.compactMap(\.id)
        let customers = try DeliveryMentionRow.customers(of: purchases, in: session)
        try MentionRow.lock(Set(customers.map(\.label.text)), in: session)
        for customer in customers {
            try AccountTokenRow.remember(customer.label, as: customer.owner, at: workspace.now, in: session)
            try DeliveryMentionRow.wake(
                awaiting: [customer.label.text], besides: customer.delivery, at: workspace.now, in: session)
        }
        try InboxDeliveryRow.place(of: purchases, at: workspace.now, in: session)
    }
}

extension Workspace.Person {
    /// True if the appended facts may change the person's coverage, or whether it counts. Acts with credits and devices
    /// cannot: their standing is made anew for the next question.
    fileprivate var mayCoverOtherwise: Bool {
        appended.contains { entry in
            if case .sandboxTester = entry.fact { return true }
            return entry.fact.purchase != nil
        }
    }
}

extension Workspace {
    /// True if the batch changed anything that has a row.
    fileprivate var writesAnything: Bool {
        !placements.isEmpty || !movedTokens.isEmpty || !signOuts.isEmpty || !proven.isEmpty
            || people.values.contains { !$0.appended.isEmpty }
            || holdings.values.contains { holding in
                holding.owner != holding.loadedOwner || holding.brought.count > holding.waiting
                    || holding.states.contains { $0.new != nil }
            }
    }

    fileprivate var changed: [Person] {
        people.values.filter { !$0.appended.isEmpty }.sorted { $0.head.pseudonym < $1.head.pseudonym }
    }

    /// The signed states that have rows, by their content.
    fileprivate var rowsOfStates: [VerifiedPurchase: State] {
        var rows: [VerifiedPurchase: State] = [:]
        for state in holdings.values.flatMap(\.states) { rows[state.purchase] = state }
        return rows
    }

    /// The pseudonym of the person who got the purchase in this batch, and the instant; nil if the owner is not new.
    fileprivate func newOwner(of key: PurchaseKey) -> (pseudonym: UInt64, boundAt: Instant)? {
        guard let holding = holdings[key], holding.owner != holding.loadedOwner, let since = holding.ownedSince,
            let owner = holding.owner.flatMap({ people[$0] })
        else { return nil }
        return (owner.head.pseudonym, since)
    }

    /// The id of a purchase's row. Throws `.misuse` if the row was not written.
    func row(of key: PurchaseKey) throws(DatabaseError) -> UInt64 {
        guard let id = holdings[key]?.id else { throw misuse }
        return id
    }

    fileprivate var misuse: DatabaseError { DatabaseError(.misuse, statement: "write back") }
}

extension VerifiedPurchase {
    /// The labels of the account token and the Apple account in the state.
    fileprivate var names: Set<Label> { Set([accountToken, account].compactMap(\.self)) }
}

/// Everything that the balances of one purse are made of: what its user holds, and what the user did.
///
/// A balance is a pure function of these and an instant. All changes are put in the order of time and gone through
/// once, so neither the order in which holdings are named nor when any of it was learned matters.
package struct PurseFacts: Sendable {
    package let purse: Purse
    /// In the order in which they are drawn.
    package let holdings: [LotHolding]
    /// The user's acts, in the order they happened.
    package private(set) var entries: ChunkedList<CreditEntry>
    private var index = CreditEntryIndex()
    /// In the order of time.
    private(set) var changes: [Change]
    let positions: [PurchaseKey: Int]
    /// The state before the newest act that was added.
    private var kept: Kept?

    /// The state after all changes before an instant.
    private struct Kept {
        let at: Instant
        /// How many changes there were before it.
        let changes: Int
        let state: PurseState
    }

    /// Something that may change balances at an instant.
    struct Change: Comparable {
        /// At one instant what ends there goes first, lots before reservations, so that what was reserved up to the end
        /// of its lot ends with it; then what is held, then what the user does. What is owed is settled after that.
        enum Kind: Int {
            /// `index` is that of the holding.
            case expiry
            /// `index` is that of the reservation's entry.
            case deadline
            /// `index` is that of the holding.
            case holding
            /// `index` is that of the entry.
            case act
        }

        let at: Instant
        let kind: Kind
        let index: Int

        static func < (left: Change, right: Change) -> Bool {
            (left.at.milliseconds, left.kind.rawValue, left.index)
                < (right.at.milliseconds, right.kind.rawValue, right.index)
        }
    }

    package init(of purse: Purse, holdings known: [LotHolding], entries: some Sequence<CreditEntry>) {
        let entries = ChunkedList(entries)
        self.purse = purse
        self.entries = entries
        let drawn = Set(entries.lazy.flatMap { $0.act.draws.map(\.lot) }).subtracting(known.lazy.map(\.key))
        let holdings = (known + drawn.map { .nothing(of: $0, in: purse) }).sorted(by: LotHolding.precedes)
        self.holdings = holdings
        positions = Dictionary(zip(holdings.lazy.map(\.key), holdings.indices), uniquingKeysWith: { first, _ in first })
        changes = Self.changes(of: holdings, entries).sorted()
        for (position, entry) in entries.enumerated() { index.add(entry.act, at: position) }
    }

    private static func changes(of holdings: [LotHolding], _ entries: ChunkedList<CreditEntry>) -> [Change] {
        var changes = entries.indices.map { Change(at: entries[$0].effectiveAt, kind: .act, index: $0) }
        for (index, entry) in entries.enumerated() {
            guard case .reserved(let reservation) = entry.act else { continue }
            changes.append(Change(at: reservation.expiresAt, kind: .deadline, index: index))
        }
        for (index, holding) in holdings.enumerated() {
            changes += holding.instants.map { Change(at: $0, kind: .holding, index: index) }
            guard let expiresAt = holding.lot.expiresAt else { continue }
            changes.append(Change(at: expiresAt, kind: .expiry, index: index))
        }
        return changes
    }

    /// True if an act is about this purse.
    func isConcerned(by act: CreditAct) -> Bool {
        switch act {
        case .spent(let spend): spend.purse == purse
        case .reserved(let reservation): reservation.purse == purse
        case .committed(let id, _), .released(let id): entry(.reservation(id)) != nil
        }
    }

    /// The first act that goes by a name.
    func entry(_ name: CreditEntryIndex.Name) -> CreditEntry? { index.position(of: name).map { entries[$0] } }

    /// These facts with one more act, the last to happen; nil where it draws from a lot without a holding.
    func adding(_ entry: CreditEntry) -> PurseFacts? {
        guard entry.act.draws.allSatisfy({ positions[$0.lot] != nil }) else { return nil }
        var facts = self
        if kept.map({ $0.at < entry.effectiveAt }) ?? true {
            let before = changes(before: entry.effectiveAt)
            facts.kept = Kept(at: entry.effectiveAt, changes: before, state: state(after: before))
        }
        facts.index.add(entry.act, at: entries.count)
        facts.entries.append(entry)
        var new = [Change(at: entry.effectiveAt, kind: .act, index: entries.count)]
        if case .reserved(let reservation) = entry.act {
            new.append(Change(at: reservation.expiresAt, kind: .deadline, index: entries.count))
        }
        for change in new { facts.changes.insert(change, at: facts.changes.countOfFirst { $0 < change }) }
        if let kept = facts.kept, new.contains(where: { $0.at < kept.at }) { facts.kept = nil }
        return facts
    }

    /// The first instant after `instant` at which a balance may change.
    package func nextChange(after instant: Instant) -> Instant? {
        let next = changes.countOfFirst { $0.at <= instant }
        return next < changes.count ? changes[next].at : nil
    }

    /// How many changes there are before `instant`.
    private func changes(before instant: Instant) -> Int { changes.countOfFirst { $0.at < instant } }

    /// The state at `instant`, with the future that is planned from known facts.
    package func state(at instant: Instant) -> PurseState {
        state(after: changes.countOfFirst { $0.at <= instant })
    }

    /// The state after the first `count` changes; changes of one instant must not be cut apart.
    private func state(after count: Int) -> PurseState {
        var state = PurseState(of: self)
        var rest = changes[..<count]
        if let kept, kept.changes <= count {
            state = kept.state
            rest = rest.dropFirst(kept.changes)
        }
        while let first = rest.first {
            let together = rest.prefix { $0.at == first.at }
            state.apply(together, of: self)
            rest = rest[together.endIndex...]
        }
        return state
    }

    /// True if the purse has a holding, an act or a debt by `instant`.
    package func hasBegun(by instant: Instant) -> Bool {
        holdings.contains { $0.beginsAt <= instant } || entries.contains { $0.effectiveAt <= instant }
    }
}

extension [PurseFacts.Change] {
    /// How many of the first elements `belongs` holds for; it holds for none after them.
    fileprivate func countOfFirst(where belongs: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if belongs(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension CreditAct {
    /// The units that the act takes; none for what follows upon a reservation.
    package var draws: [Draw] {
        switch self {
        case .spent(let spend): spend.draws
        case .reserved(let reservation): reservation.draws
        case .committed, .released: []
        }
    }
}

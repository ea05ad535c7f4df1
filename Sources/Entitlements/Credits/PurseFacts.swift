/// All facts about one purse: the lots that the user holds, and the user's acts with credits.
///
/// A balance is a pure function of these facts and an instant. All changes are sorted by time and applied once, so
/// neither the order of the holdings nor the order in which facts were learned matters.
package struct PurseFacts: Sendable {
    package let purse: Purse
    /// The holdings in the order in which lots are drawn.
    package let holdings: [LotHolding]
    /// The user's acts in the order in which they happened.
    package private(set) var entries: ChunkedList<CreditEntry>
    private var index = CreditEntryIndex()
    /// All changes in the order of time.
    private(set) var changes: [Change]
    let positions: [PurchaseKey: Int]
    /// The state just before the newest act that was added. It is a cache, so that adding an act need not begin at the
    /// first change.
    private var kept: Kept?

    /// The state after all changes before an instant.
    private struct Kept {
        let at: Instant
        /// The number of changes that the state includes.
        let changes: Int
        let state: PurseState
    }

    /// A change that may alter balances at an instant.
    struct Change: Comparable {
        /// The kind of a change. Changes of one instant are applied in the order of the cases, and then what is owed is
        /// settled.
        ///
        /// An expiry comes before a deadline, so that units whose reservation ends at their lot's expiry expire too.
        enum Kind: Int {
            /// A lot expires; `index` is the position of its holding in `holdings`.
            case expiry
            /// A reservation reaches its deadline; `index` is the position of its entry in `entries`.
            case deadline
            /// The units held or the refund due may change; `index` is the position of the holding in `holdings`.
            case holding
            /// An act of the user with credits; `index` is the position of the act's entry in `entries`.
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

    /// True if the act is about this purse.
    func isConcerned(by act: CreditAct) -> Bool {
        switch act {
        case .spent(let spend): spend.purse == purse
        case .reserved(let reservation): reservation.purse == purse
        case .committed(let id, _), .released(let id): entry(.reservation(id)) != nil
        }
    }

    /// Returns the first act with this name.
    func entry(_ name: CreditEntryIndex.Name) -> CreditEntry? { index.position(of: name).map { entries[$0] } }

    /// Returns these facts with one more act, which is the last to happen. Returns nil if the act draws from a lot that
    /// the user does not hold.
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

    /// Returns the first instant after `instant` at which a balance may change.
    package func nextChange(after instant: Instant) -> Instant? {
        let next = changes.countOfFirst { $0.at <= instant }
        return next < changes.count ? changes[next].at : nil
    }

    /// Returns the number of changes before `instant`.
    private func changes(before instant: Instant) -> Int { changes.countOfFirst { $0.at < instant } }

    /// Returns the state at `instant`. If it lies ahead, planned changes such as deadlines and expiries count.
    package func state(at instant: Instant) -> PurseState {
        state(after: changes.countOfFirst { $0.at <= instant })
    }

    /// Returns the state after the first `count` changes. They must include all changes of an instant, or none of them.
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

    /// True if the user holds a lot by `instant`, or has acted by then.
    package func hasBegun(by instant: Instant) -> Bool {
        holdings.contains { $0.beginsAt <= instant } || entries.contains { $0.effectiveAt <= instant }
    }
}

extension [PurseFacts.Change] {
    /// Returns the number of elements before the first for which `belongs` is false, by binary search. `belongs` must
    /// be false for all elements after that one.
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
    /// The draws of a spend or a reservation; empty for the end of a reservation.
    package var draws: [Draw] {
        switch self {
        case .spent(let spend): spend.draws
        case .reserved(let reservation): reservation.draws
        case .committed, .released: []
        }
    }
}

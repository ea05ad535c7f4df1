/// Everything that the balances of one purse are made of: what its user holds, what the user did, and debts that came
/// or went.
///
/// A balance is a pure function of these and an instant. All changes are put in the order of time and gone through
/// once, so neither the order in which holdings are named nor when any of it was learned matters.
package struct PurseFacts: Sendable {
    package let purse: Purse
    /// In the order in which they are drawn.
    package let holdings: [LotHolding]
    /// The user's acts, in the order they happened.
    package let entries: [CreditEntry]
    package let debts: [DebtEntry]
    /// In the order of time.
    let changes: [Change]
    let positions: [PurchaseKey: Int]

    /// Something that may change balances at an instant.
    struct Change: Comparable {
        /// At one instant what ends there goes first, lots before reservations, so that what was reserved up to the end
        /// of its lot ends with it; then what is held, then debts, then what the user does. What is owed is settled
        /// after all of it.
        enum Kind: Int {
            /// `index` is that of the holding.
            case expiry
            /// `index` is that of the reservation's entry.
            case deadline
            /// `index` is that of the holding.
            case holding
            /// `index` is that of the debt's entry.
            case debt
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

    package init(
        of purse: Purse, holdings known: [LotHolding], entries: [CreditEntry], debts: [DebtEntry] = []
    ) {
        self.purse = purse
        self.entries = entries
        self.debts = debts
        let drawn = Set(entries.lazy.flatMap { $0.act.draws.map(\.lot) }).subtracting(known.lazy.map(\.key))
        let holdings = (known + drawn.map { .nothing(of: $0, in: purse) }).sorted(by: LotHolding.precedes)
        self.holdings = holdings
        positions = Dictionary(zip(holdings.lazy.map(\.key), holdings.indices), uniquingKeysWith: { first, _ in first })
        changes = Self.changes(of: holdings, entries, debts).sorted()
    }

    private static func changes(
        of holdings: [LotHolding], _ entries: [CreditEntry], _ debts: [DebtEntry]
    ) -> [Change] {
        var changes = entries.indices.map { Change(at: entries[$0].effectiveAt, kind: .act, index: $0) }
        changes += debts.indices.map { Change(at: debts[$0].effectiveAt, kind: .debt, index: $0) }
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

    /// Every instant at which a balance may change.
    package var instants: [Instant] { changes.map(\.at) }

    /// What is there at `instant`; what is planned from known facts counts.
    package func state(at instant: Instant) -> PurseState {
        var state = PurseState(of: self)
        var rest = changes.prefix { $0.at <= instant }
        while let first = rest.first {
            let together = rest.prefix { $0.at == first.at }
            state.apply(together, of: self)
            rest = rest[together.endIndex...]
        }
        return state
    }

    /// Whether there is anything to tell about at `instant`.
    package func hasBegun(by instant: Instant) -> Bool {
        holdings.contains { $0.beginsAt <= instant }
            || entries.contains { $0.effectiveAt <= instant } || debts.contains { $0.effectiveAt <= instant }
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

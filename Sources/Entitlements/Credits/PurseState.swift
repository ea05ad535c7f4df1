/// The state of a purse at an instant.
///
/// Always `balance = credited − refunded − expired − spent − reserved` (`semantics.md` §4). If a refund finds too few
/// units in its own lot, free units of other lots stand in for them, in the order of drawing. Units that are still
/// missing are debt, and the next free units repay it.
///
/// Units in repayment stay in their lots. No spend draws them, and they do not expire. A reversal of the refund frees
/// them; the units that came into repayment last are freed first.
package struct PurseState: Sendable {
    package let purse: Purse
    /// The lots in the order in which they are drawn.
    package private(set) var lots: [LotState]
    /// The reservations that are held: neither committed nor released, and with a deadline to come.
    private var held: [ReservationID: CreditEntry] = [:]
    /// The free units of all lots. Units in repayment are among them.
    private var free = 0
    /// The units that refunds could not take from their own lots.
    private var shortfall = 0
    private var repayments = Repayments()
    /// The positions of lots in which more units are in repayment than are free; ``settle()`` corrects them.
    private var strained: [Int] = []

    init(of facts: PurseFacts) {
        purse = facts.purse
        lots = facts.holdings.map { LotState($0) }
    }

    package var spendable: Int { free - repayments.total }

    package var debt: Int { shortfall - repayments.total }

    package var balance: CreditBalance {
        var balance = CreditBalance(unit: purse.unit, environment: purse.environment)
        balance.spendable = spendable
        balance.debt = debt
        for lot in lots {
            balance.reserved += lot.reserved
            balance.credited += lot.amount
            balance.refunded += lot.refunded
            balance.expired += lot.expired
            balance.spent += lot.spent
            balance.writtenOff += lot.writtenOff
        }
        return balance
    }

    /// Returns the draws by which `units` would be taken from lots; nil if too few units are spendable, or there is
    /// debt.
    package func draws(of units: Int) -> [Draw]? {
        guard debt == 0 else { return nil }
        var rest = units
        var draws: [Draw] = []
        for lot in lots where rest > 0 && lot.available > 0 {
            let taken = min(rest, lot.available)
            draws.append(Draw(lot: lot.holding.key, amount: taken))
            rest -= taken
        }
        return rest == 0 ? draws : nil
    }

    /// Applies all changes of one instant, and settles what is owed after the last of them.
    mutating func apply(_ changes: ArraySlice<PurseFacts.Change>, of facts: PurseFacts) {
        for change in changes {
            switch change.kind {
            case .deadline:
                guard case .reserved(let reservation) = facts.entries[change.index].act else { continue }
                end(reservation.id, committing: 0, at: facts.positions)
            case .expiry: alter(change.index) { $0.expire() }
            case .holding: alter(change.index) { $0.follow(to: change.at) }
            case .act: apply(facts.entries[change.index], at: facts.positions)
            }
        }
        settle()
    }

    private mutating func apply(_ entry: CreditEntry, at positions: [PurchaseKey: Int]) {
        switch entry.act {
        case .spent(let spend):
            each(spend.draws, at: positions) { $0.spend($1) }
        case .reserved(let reservation):
            held[reservation.id] = entry
            each(reservation.draws, at: positions) { $0.reserve($1) }
        case .committed(let id, let amount): end(id, committing: amount, at: positions)
        case .released(let id): end(id, committing: 0, at: positions)
        }
    }

    /// Ends a reservation that is held: `amount` of its units are spent, the rest are free again.
    private mutating func end(_ id: ReservationID, committing amount: Int, at positions: [PurchaseKey: Int]) {
        guard let entry = held.removeValue(forKey: id), case .reserved(let reservation) = entry.act else { return }
        let (spent, released) = reservation.cut(committing: amount)
        each(spent, at: positions) { $0.commit($1) }
        each(released, at: positions) { $0.release($1, reservedAt: entry.effectiveAt) }
    }

    private mutating func each(
        _ draws: [Draw], at positions: [PurchaseKey: Int], _ act: (inout LotState, Int) -> Void
    ) {
        for draw in draws {
            guard let position = positions[draw.lot] else { continue }
            alter(position) { act(&$0, draw.amount) }
        }
    }

    private mutating func alter(_ position: Int, _ change: (inout LotState) -> Void) {
        let before = lots[position].free
        change(&lots[position])
        let after = lots[position].free
        free += max(0, after) - max(0, before)
        shortfall += max(0, -after) - max(0, -before)
        if lots[position].repaid > max(0, after) { strained.append(position) }
    }

    /// Settles what is owed. It ends repayments that a lot no longer has the units for, and frees units that are no
    /// longer needed. Then it puts free units into repayment while units are missing.
    private mutating func settle() {
        while let position = strained.popLast() {
            let excess = lots[position].repaid - max(0, lots[position].free)
            guard excess > 0 else { continue }
            repayments.withdraw(excess, from: position)
            lots[position].repaid -= excess
        }
        if repayments.total > shortfall {
            for (position, units) in repayments.undo(repayments.total - shortfall) { lots[position].repaid -= units }
        }
        guard repayments.total < min(shortfall, free) else { return }
        for position in lots.indices where lots[position].available > 0 {
            let units = min(lots[position].available, shortfall - repayments.total)
            guard units > 0 else { return }
            lots[position].repaid += units
            repayments.add(units, from: position)
        }
    }
}

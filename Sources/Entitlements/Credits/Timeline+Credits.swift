extension Timeline {
    /// All purses that the user has anything to do with, whether or not their environment counts, in order.
    static func purses(
        of purchases: [Purchase], and owed: [LotHolding], _ ledger: UserLedger
    ) -> [PurseFacts] {
        let held = purchases.compactMap { purchase -> LotHolding? in
            guard case .credits(let lot) = purchase.worth else { return nil }
            return LotHolding(lot, of: purchase.key, in: purchase.tenures, shifts: purchase.debts)
        }
        var holdings: [Purse: [LotHolding]] = [:]
        for holding in held + owed {
            holdings[Purse(unit: holding.lot.unit, environment: holding.lot.environment), default: []].append(holding)
        }
        var entries: [Purse: [CreditEntry]] = [:]
        var reservedFrom: [ReservationID: Purse] = [:]
        for entry in ledger.entries.lazy.compactMap({ CreditEntry($0) }) {
            switch entry.act {
            case .spent(let spend): entries[spend.purse, default: []].append(entry)
            case .reserved(let reservation):
                reservedFrom[reservation.id] = reservation.purse
                entries[reservation.purse, default: []].append(entry)
            case .committed(let id, _), .released(let id):
                guard let purse = reservedFrom[id] else { continue }
                entries[purse, default: []].append(entry)
            }
        }
        return Set(holdings.keys).union(entries.keys).sorted().map { purse in
            PurseFacts(of: purse, holdings: holdings[purse] ?? [], entries: entries[purse] ?? [])
        }
    }

    /// Everything about one purse; an empty one if the user has nothing to do with it.
    package func facts(of purse: Purse) -> PurseFacts {
        purses.first { $0.purse == purse } ?? PurseFacts(of: purse, holdings: [], entries: [])
    }

    /// One for each purse that counts and has begun, by unit and environment.
    package func creditBalances(at instant: Instant) -> [CreditBalance] {
        states(at: instant).map(\.balance)
    }

    /// What is left of each lot that the user has or had by `instant`, in the order of drawing in each purse.
    package func lotBalances(at instant: Instant) -> [LotBalance] {
        states(at: instant).flatMap { state in
            state.lots.lazy.filter { $0.holding.beginsAt <= instant }
                .map { LotBalance($0, in: state.purse) }
        }
    }

    private func states(at instant: Instant) -> [PurseState] {
        purses.lazy.filter { counts($0.purse.environment) && $0.hasBegun(by: instant) }.map { $0.state(at: instant) }
    }

    /// The units of the lot that are left to its holder: neither drawn nor refunded nor expired nor used in repayment.
    package func undrawnUnits(of lot: PurchaseKey, at instant: Instant) -> Int {
        lotState(of: lot, at: instant)?.available ?? 0
    }

    /// Whether units of the lot are spent, reserved or used in repayment, so that no policy moves it.
    package func isTouched(_ lot: PurchaseKey, at instant: Instant) -> Bool {
        lotState(of: lot, at: instant).map { $0.drawn > 0 || $0.repaid > 0 } ?? false
    }

    /// The `units` of a handover of the lot: all that are neither drawn nor expired, nor used in repayment.
    ///
    /// Refunded units are among them, so that they are the new owner's when the refund is reversed. Those that repay go
    /// along only where what they repay does. What is free again of an earlier tenure stays, as it would with a giver who
    /// never had the lot again.
    package func unitsToMove(of lot: PurchaseKey, at instant: Instant, cause: Handover.Cause) -> Int {
        guard let state = lotState(of: lot, at: instant) else { return 0 }
        let arrived = state.holding.stakes.last?.amount ?? 0
        let undrawn = max(0, state.amount - state.drawn - state.expired)
        switch cause {
        case .reclaim: return min(arrived, undrawn)
        case .policy, .operator, .merge: return min(arrived, max(0, undrawn - state.repaid))
        }
    }

    /// The `refunds` of a handover of the lot: the giver's whole part, where what is owed goes along.
    func refundsToMove(of lot: PurchaseKey, at instant: Instant, cause: Handover.Cause) -> Int? {
        switch cause {
        case .reclaim: lotState(of: lot, at: instant)?.holding.stakes.last?.refunds.upperBound
        case .policy, .operator, .merge: nil
        }
    }

    /// What is owed at `instant` in purses of `environment` of the lots for which `belongs` holds: at most what is owed in
    /// all of each purse.
    func debts(
        at instant: Instant, in environment: StoreEnvironment, of belongs: (PurchaseKey) -> Bool
    ) -> [(lot: PurchaseKey, debt: Debt)] {
        purses.lazy.filter { $0.purse.environment == environment }.flatMap { facts in
            let state = facts.state(at: instant)
            var rest = state.debt
            var debts: [(lot: PurchaseKey, debt: Debt)] = []
            for lot in state.lots where rest > 0 && belongs(lot.holding.key) {
                for refunds in lot.holding.lastRefunds(min(rest, lot.shortfall), at: instant) {
                    rest -= refunds.count
                    debts.append((lot.holding.key, Debt(unit: facts.purse.unit, refunds: refunds)))
                }
            }
            return debts
        }
    }

    /// How many units of each of the lots that leave stay behind when they do: those that repay what is owed of lots for which
    /// `staying` holds.
    func unitsToLeave(
        at instant: Instant, leaving: (PurchaseKey) -> Bool, staying: (PurchaseKey) -> Bool
    ) -> [PurchaseKey: Int] {
        var left: [PurchaseKey: Int] = [:]
        for facts in purses {
            let lots = facts.state(at: instant).lots
            var rest = lots.reduce(0) { $0 + (staying($1.holding.key) ? $1.shortfall - max(0, $1.free) : 0) }
            for lot in lots where rest > 0 && lot.repaid > 0 && leaving(lot.holding.key) {
                left[lot.holding.key] = min(rest, lot.repaid)
                rest -= min(rest, lot.repaid)
            }
        }
        return left
    }

    private func lotState(of lot: PurchaseKey, at instant: Instant) -> LotState? {
        for facts in purses {
            guard let position = facts.positions[lot] else { continue }
            return facts.state(at: instant).lots[position]
        }
        return nil
    }
}

extension Timeline {
    /// All purses that the user has anything to do with, whether or not their environment counts, in order.
    static func purses(of purchases: [Purchase], _ ledger: UserLedger) -> [PurseFacts] {
        var holdings: [Purse: [LotHolding]] = [:]
        for purchase in purchases {
            guard case .credits(let lot) = purchase.benefit else { continue }
            holdings[Purse(unit: lot.unit, environment: lot.environment), default: []]
                .append(LotHolding(lot, of: purchase.key, in: purchase.tenures))
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

    /// The balance of each purse that counts and has begun, by unit and environment.
    package func creditBalances(at instant: Instant) -> [CreditBalance] {
        states(at: instant).map(\.balance)
    }

    /// The balance of each lot that the user has or had by `instant`, in the order of drawing in each purse.
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

    /// True if units of the lot are spent, reserved or used in repayment, so that no policy moves it.
    package func isTouched(_ lot: PurchaseKey, at instant: Instant) -> Bool {
        lotState(of: lot, at: instant).map { $0.drawn > 0 || $0.repaid > 0 } ?? false
    }

    /// The `units` of a handover of the lot: all that are neither drawn nor expired, nor used in repayment.
    ///
    /// Refunded units are among them, so that they are the new owner's when the refund is reversed. Units of an earlier
    /// tenure that are free again stay, as they would with a giver who never had the lot again.
    package func unitsToMove(of lot: PurchaseKey, at instant: Instant) -> Int {
        guard let state = lotState(of: lot, at: instant) else { return 0 }
        let arrived = state.holding.stakes.last?.units.count ?? 0
        return min(arrived, max(0, state.amount - state.drawn - state.expired - state.repaid))
    }

    private func lotState(of lot: PurchaseKey, at instant: Instant) -> LotState? {
        for facts in purses {
            guard let position = facts.positions[lot] else { continue }
            return facts.state(at: instant).lots[position]
        }
        return nil
    }
}

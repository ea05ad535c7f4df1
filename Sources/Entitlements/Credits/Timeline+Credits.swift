extension Timeline {
    /// Returns the facts about each purse in which the user holds a lot or has acted, by unit and environment. Purses
    /// of an environment that does not count are included.
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

    /// Returns the facts about one purse; without any holding or act if the user has none.
    package func facts(of purse: Purse) -> PurseFacts {
        purses.first { $0.purse == purse } ?? PurseFacts(of: purse, holdings: [], entries: [])
    }

    /// Returns the balance of each purse in which the user holds a lot or has acted by `instant`, by unit and
    /// environment. Purses of an environment that does not count are left out.
    package func creditBalances(at instant: Instant) -> [CreditBalance] {
        states(at: instant).map(\.balance)
    }

    /// Returns the balance of each lot that the user holds or held by `instant`. In each purse the lots are in the
    /// order of drawing.
    package func lotBalances(at instant: Instant) -> [LotBalance] {
        states(at: instant).flatMap { state in
            state.lots.lazy.filter { $0.holding.beginsAt <= instant }
                .map { LotBalance($0, in: state.purse) }
        }
    }

    private func states(at instant: Instant) -> [PurseState] {
        purses.lazy.filter { counts($0.purse.environment) && $0.hasBegun(by: instant) }.map { $0.state(at: instant) }
    }

    /// Returns the units of the lot that a spend may draw: they are not drawn, refunded, expired or in repayment.
    package func undrawnUnits(of lot: PurchaseKey, at instant: Instant) -> Int {
        lotState(of: lot, at: instant)?.available ?? 0
    }

    /// True if units of the lot are spent, reserved or in repayment. Then no policy moves the lot.
    package func isTouched(_ lot: PurchaseKey, at instant: Instant) -> Bool {
        lotState(of: lot, at: instant).map { $0.drawn > 0 || $0.repaid > 0 } ?? false
    }

    /// Returns the units that a transfer of the lot would move (``LotState/unitsToMove``).
    package func unitsToMove(of lot: PurchaseKey, at instant: Instant) -> Int {
        lotState(of: lot, at: instant)?.unitsToMove ?? 0
    }

    /// Returns the state of a lot; nil if no purse has it.
    func lotState(of lot: PurchaseKey, at instant: Instant) -> LotState? {
        for facts in purses {
            guard let position = facts.positions[lot] else { continue }
            return facts.state(at: instant).lots[position]
        }
        return nil
    }
}

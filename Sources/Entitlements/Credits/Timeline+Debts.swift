extension Timeline {
    /// What the user owes at `instant` by Apple account, for whoever shows a purchase of one: in each purse what
    /// refunds of the account's lots did not find and what was taken over of it, less what was passed on, altogether no
    /// more than is owed.
    ///
    /// The refund of a lot whose account nobody knows stays where it is.
    package func openDebts(at instant: Instant) -> [Debt] {
        purses.flatMap { facts in
            let state = facts.state(at: instant)
            return state.debt > 0 ? facts.openDebts(upTo: state.debt, in: state, at: instant) : []
        }
    }

    /// What somebody who is erased owes for whoever shows a purchase of the account, whenever that is: once
    /// reservations that nobody can commit have ended, and with what a clock ahead of ours dates. What is taken over is
    /// what is owed at that time.
    package var debtsToPassOn: [Debt] { openDebts(at: .distantFuture) }
}

extension PurseFacts {
    /// Whose refunds are told apart.
    private struct Buyer: Hashable {
        let account: Label
        let app: AppID
    }

    /// In the order of the accounts, `limit` units in all.
    fileprivate func openDebts(upTo limit: Int, in state: PurseState, at instant: Instant) -> [Debt] {
        var missing: [Buyer: Int] = [:]
        for lot in state.lots {
            guard let account = lot.holding.lot.account else { continue }
            missing[Buyer(account: account, app: lot.holding.key.app), default: 0] += lot.shortfall
        }
        for entry in debts where entry.effectiveAt <= instant {
            let buyer = Buyer(account: entry.debt.account, app: entry.debt.app)
            missing[buyer, default: 0] += entry.isTakenOver ? entry.debt.units : -entry.debt.units
        }
        var rest = limit
        var open: [Debt] = []
        for (buyer, units) in missing.sorted(by: { ($0.key.app, $0.key.account) < ($1.key.app, $1.key.account) }) {
            let owed = min(units, rest)
            guard owed > 0 else { continue }
            rest -= owed
            open.append(Debt(of: buyer.account, in: buyer.app, purse.environment, owed, unit: purse.unit))
        }
        return open
    }
}

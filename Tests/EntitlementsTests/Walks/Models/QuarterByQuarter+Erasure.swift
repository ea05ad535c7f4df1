import Entitlements

/// People who are erased, and whoever shows their Apple account later.
extension QuarterByQuarter {
    /// All that was somebody's is an erased person's.
    mutating func erase(_ user: UserID, as gone: UserID) {
        erased.append(gone)
        for index in things.indices {
            change(index) { thing in
                for stay in thing.stays.indices where thing.stays[stay].user == user { thing.stays[stay].user = gone }
                for told in thing.told.indices where thing.told[told].users.remove(user) != nil {
                    thing.told[told].users.insert(gone)
                }
            }
        }
        credits[gone] = credits.removeValue(forKey: user)
        debts[gone] = debts.removeValue(forKey: user)
        devices[gone] = devices.removeValue(forKey: user)
        testers[gone] = testers.removeValue(forKey: user)
    }

    /// Whoever proves to have bought something that an erased person had gets all that nobody else bought.
    mutating func reclaim(_ position: Int, by user: UserID, proof: AccountProof?, at now: Int) -> Bool {
        let claimed = things[position]
        guard let owner = claimed.owner, claimed.isBought(by: proof) else { return false }
        release(of: owner, at: now)
        _ = move(from: owner, to: user, at: now) { $0.account == nil || $0.isBought(by: proof) }
        return true
    }

    /// What erased people owe of the Apple accounts that bought those of `ids` which are the user's is the user's.
    mutating func takeOver(whatTheBuyersOwedOf ids: Set<String>, by user: UserID, at now: Int) {
        let shown = things.filter { ids.contains($0.id) && $0.owner == user }
        for giver in erased {
            var after = self
            after.release(of: giver, at: now)
            for environment in [StoreEnvironment.production, .sandbox] {
                for (account, units) in after.owed(by: giver, environment, at: now) {
                    guard shown.contains(where: { $0.account == account && $0.key.environment == environment }) else {
                        continue
                    }
                    let debt = Debt(of: account, in: .vpn, environment, units, unit: Purse.credit.unit)
                    after.debts[giver, default: []].append(DebtEntry(debt, isTakenOver: false, at: Self.instant(now)))
                    after.debts[user, default: []].append(DebtEntry(debt, isTakenOver: true, at: Self.instant(now)))
                }
            }
            if after.debts[giver]?.count != debts[giver]?.count { self = after }
        }
    }

    /// Which accounts' refunds left how much of a debt, the first account as much as there is.
    private func owed(
        by user: UserID, _ environment: StoreEnvironment, at now: Int
    ) -> [(account: Label, units: Int)] {
        let units = purse(environment, of: user, at: now)
        let lots = lots(environment, of: user)
        let moved = (debts[user] ?? []).filter { $0.debt.environment == environment }
        var rest = units.debt
        return Set(lots.compactMap(\.account) + moved.map(\.debt.account)).sorted().map { account in
            var missing = 0
            for lot in lots where lot.account == account { missing += units.notFound(lot.key) }
            for entry in moved where entry.debt.account == account {
                missing += entry.isTakenOver ? entry.debt.units : -entry.debt.units
            }
            let owed = max(0, min(missing, rest))
            rest -= owed
            return (account, owed)
        }.filter { $0.units > 0 }
    }

    /// Nobody commits any more what somebody reserved.
    private mutating func release(of user: UserID, at now: Int) {
        for case .reserved(let reservation) in (credits[user] ?? []).map(\.act)
        where reservation.expiresAt > Self.instant(now) {
            _ = release(reservation.id.text, of: user, at: now)
        }
    }
}

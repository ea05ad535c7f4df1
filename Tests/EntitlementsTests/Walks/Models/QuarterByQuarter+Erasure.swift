import Entitlements

/// People who are erased, and whoever proves their Apple account later.
extension QuarterByQuarter {
    /// All that was somebody's is an erased person's.
    mutating func erase(_ user: UserID, as gone: UserID) {
        for index in things.indices {
            change(index) { thing in
                for stay in thing.stays.indices where thing.stays[stay].user == user { thing.stays[stay].user = gone }
                for told in thing.told.indices where thing.told[told].users.remove(user) != nil {
                    thing.told[told].users.insert(gone)
                }
            }
        }
        credits[gone] = credits.removeValue(forKey: user)
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

    /// Nobody commits any more what somebody reserved.
    private mutating func release(of user: UserID, at now: Int) {
        for case .reserved(let reservation) in (credits[user] ?? []).map(\.act)
        where reservation.expiresAt > Self.instant(now) {
            _ = release(reservation.id.text, of: user, at: now)
        }
    }
}

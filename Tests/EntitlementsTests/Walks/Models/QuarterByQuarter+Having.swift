import Entitlements

/// Who has what, and what goes along to another user.
extension QuarterByQuarter {
    /// Evidence reaches all who have or had the purchase; of a plan's later transactions only its owner hears.
    mutating func record(_ state: VerifiedPurchase, _ worth: Worth, madeAt: Int) {
        if position(state.key.externalID.text) == nil { add(Thing(key: state.key, worth: worth, madeAt: madeAt)) }
        guard let position = position(state.key.externalID.text) else { return }
        change(position) { thing in
            guard !thing.told.contains(where: { $0.state == state }) else { return }
            var told = Told(state: state)
            for stay in thing.stays {
                let knows = thing.told.contains {
                    $0.state.transactionID == state.transactionID && $0.users.contains(stay.user)
                }
                if state.type != .plan || knows || stay.user == thing.owner { told.users.insert(stay.user) }
            }
            thing.told.append(told)
        }
    }

    /// What somebody is told who attaches a purchase that is known; `proof` is the Apple account that they show.
    mutating func attach(_ id: String, to user: UserID, proof: AccountProof?, at now: Int) -> String {
        let answer = claim(id, by: user, proof: proof, at: now)
        return answer
    }

    private mutating func claim(_ id: String, by user: UserID, proof: AccountProof?, at now: Int) -> String {
        guard let position = position(id) else { return "not_claimable" }
        if let owner = things[position].owner {
            if owner == user { return "alreadyTheirs" }
            if owner.isErased {
                return reclaim(position, by: user, proof: proof, at: now) ? "transferred" : "owned_by_another_user"
            }
            guard mayComeByPolicy(position, to: user, proof: proof, at: now) else { return "owned_by_another_user" }
            _ = move(id, from: owner, to: user, at: now, byPolicy: true)
            return "transferred"
        }
        change(position) { thing in
            thing.stays = [Stay(user: user, from: 0, ran: 0, units: thing.worth.units, isByPolicy: false)]
            thing.tell(user)
        }
        return "unowned"
    }

    private mutating func mayComeByPolicy(_ position: Int, to user: UserID, proof: AccountProof?, at now: Int) -> Bool {
        let thing = things[position]
        guard thing.isBought(by: proof),
            let stay = thing.stays.last, !isTouched(thing, at: now)
        else { return false }
        if thing.stays.count > 1, now - stay.from < Self.cooldown { return false }
        let came = things.flatMap(\.stays).count { $0.user == user && $0.isByPolicy }
        guard came < Self.movesPerYear else { return false }
        switch policy {
        case .keep: return false
        case .transfer: return true
        case .transferIfInactive: return isInactive(thing, at: now)
        }
    }

    static let cooldown = 8
    static let movesPerYear = 2

    /// Whether the owner has drawn units of a lot, or some of them repay.
    private func isTouched(_ thing: Thing, at now: Int) -> Bool {
        guard case .lot = thing.worth, let owner = thing.owner else { return false }
        return purse(thing.key.environment, of: owner, at: now).isTouched(thing.key)
    }

    /// Whether nothing is left of it to its owner.
    private mutating func isInactive(_ thing: Thing, at now: Int) -> Bool {
        guard let owner = thing.owner else { return false }
        switch thing.worth {
        case .pass, .plan, .window:
            return !pieces(of: owner).contains { $0.id == thing.id && $0.quarters.upperBound > now }
        case .addOn: return thing.share(now) > 0
        case .lot:
            return purse(thing.key.environment, of: owner, at: now).drawable.contains {
                $0.lot == thing.key && $0.units == 0
            }
        }
    }

    /// The verdicts on the items of a restore, all of which are recorded; purchases are judged in their order.
    mutating func restore(_ items: [VerifiedPurchase], to user: UserID, proof: AccountProof?, at now: Int) -> [String] {
        var verdicts = items.map { _ in "duplicate" }
        let had = Set(things.filter { $0.owner == user }.map(\.key))
        for (key, rivals) in Dictionary(grouping: items.indices, by: { items[$0].key })
            .sorted(by: { Self.order($0.key).lexicographicallyPrecedes(Self.order($1.key)) })
        {
            let newest = rivals.map { items[$0].signedAt }.max()
            guard let speaking = rivals.first(where: { items[$0].signedAt == newest }) else { continue }
            let answer = claim(key.externalID.text, by: user, proof: proof, at: now)
            verdicts[speaking] = answer == "alreadyTheirs" && !had.contains(key) ? "transferred" : answer
        }
        return verdicts
    }

    mutating func grant(_ id: String, _ worth: Worth, to user: UserID, at now: Int) {
        guard position(id) == nil else { return }
        add(
            Thing(
                key: .grant(id), worth: worth, madeAt: now,
                stays: [Stay(user: user, from: 0, ran: 0, units: worth.units, isByPolicy: false)]))
    }

    /// Since when it is revoked; nil for what the user does not have.
    mutating func revoke(_ id: String, of user: UserID, at now: Int) -> Int? {
        guard let position = position(id), things[position].owner == user else { return nil }
        change(position) { $0.withdrawnAt = $0.withdrawnAt ?? now }
        return things[position].withdrawnAt
    }

    /// What went, by source and then by id; nil for what the giver does not have. All without `id`.
    mutating func move(
        _ id: String?, from giver: UserID, to receiver: UserID, at now: Int, byPolicy: Bool = false
    ) -> [String]? {
        let ids = move(from: giver, to: receiver, at: now, byPolicy: byPolicy) { id == nil || $0.id == id }
        return id != nil && ids.isEmpty ? nil : ids
    }

    mutating func move(
        from giver: UserID, to receiver: UserID, at now: Int, byPolicy: Bool = false, where goes: (Thing) -> Bool
    ) -> [String] {
        let going = things.indices.filter { things[$0].owner == giver && goes(things[$0]) }
        let left = going.map { (ran: ran($0, by: now), units: unitsToMove($0, at: now)) }
        for (position, left) in zip(going, left) {
            change(position) { thing in
                let last = thing.stays.count - 1
                thing.stays[last].until = now
                thing.stays[last].leftRan = left.ran
                thing.stays[last].leftUnits = left.units
                thing.stays.append(
                    Stay(user: receiver, from: now, ran: left.ran, units: left.units, isByPolicy: byPolicy))
                thing.tell(receiver)
            }
        }
        return going.map { things[$0] }.sorted { Self.order($0.key).lexicographicallyPrecedes(Self.order($1.key)) }
            .map(\.id)
    }

    /// Purchases by source and environment, and then by id.
    private static func order(_ key: PurchaseKey) -> [String] {
        [key.source.text, key.environment.rawValue, key.externalID.text]
    }

    /// Whether anything was ever recorded of a user.
    func knows(_ user: UserID) -> Bool {
        things.contains { $0.stays.contains { $0.user == user } } || credits[user] != nil
            || devices[user] != nil || testers[user] != nil
    }

    /// How long a pass has run by `now` with all who had it.
    private mutating func ran(_ position: Int, by now: Int) -> Int {
        guard case .pass = things[position].worth, let stay = things[position].stays.last else { return 0 }
        let here = pieces(of: stay.user).filter {
            $0.id == things[position].id && $0.stay == things[position].stays.count - 1
        }
        return here.reduce(stay.ran) { $0 + $1.quarters.clamped(to: 0..<now).count }
    }

    private func unitsToMove(_ position: Int, at now: Int) -> Int {
        guard case .lot = things[position].worth, let stay = things[position].stays.last else { return 0 }
        let key = things[position].key
        return min(stay.units, purse(key.environment, of: stay.user, at: now).movable(key))
    }
}

extension QuarterByQuarter.Thing {
    /// The Apple account that bought it, where its states tell.
    var account: Label? { told.lazy.compactMap(\.state.account).first }

    func isBought(by proof: AccountProof?) -> Bool {
        proof.map { $0.environment == key.environment && $0.account == account } ?? false
    }

    /// Whoever has it knows everything about it.
    mutating func tell(_ user: UserID) {
        for index in told.indices { told[index].users.insert(user) }
    }
}

extension QuarterByQuarter.Worth {
    /// Of a lot; 0 of anything else.
    var units: Int {
        guard case .lot(let units, _, _) = self else { return 0 }
        return units
    }

    /// Of a lot that does.
    var expiresAt: Int? {
        guard case .lot(_, let expiresAt, _) = self else { return nil }
        return expiresAt
    }

    var onShortfall: Terms.OnShortfall {
        guard case .lot(_, _, let onShortfall) = self else { return .debt }
        return onShortfall
    }
}

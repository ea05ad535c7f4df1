import Entitlements

/// What users do with devices.
extension QuarterByQuarter {
    /// How many devices may be active in each quarter from 0 to `last`.
    mutating func allowed(_ user: UserID, through last: Int) -> [Int] {
        let pieces = pieces(of: user).filter { counts($0.environment, for: user) }
        let addOns = things.filter { counts($0.key.environment, for: user) }
        return (0...max(0, last)).map { quarter in
            let covering = pieces.filter { $0.quarters.contains(quarter) }
            let topRank = covering.map(\.tier.rank).max() ?? 0
            let most = covering.map { $0.seats ?? $0.tier.devices }.max() ?? 0
            return addOns.reduce(most) { sum, thing in
                guard case .addOn(let product) = thing.worth, thing.madeAt <= quarter, thing.share(quarter) == 0,
                    Self.required(by: product) <= topRank,
                    thing.stays.contains(where: { $0.user == user && $0.holds(quarter) })
                else { return sum }
                return sum + (Self.seats[product] ?? 0)
            }
        }
    }

    static let seats: [ProductID: Int] = [.seats: 2, .proSeats: 3]

    /// The rank that must cover for the add-on to count.
    static func required(by product: ProductID) -> Int { [.proOnly, .proSeats].contains(product) ? 2 : 0 }

    /// The devices on record at the end of a quarter, by id, and how many of them may be active.
    mutating func devices(of user: UserID, at now: Int) -> (lines: [String], allowed: Int) {
        var hours = HourByHour()
        hours.grace = Self.grace
        hours.acts = devices[user] ?? []
        let allowed = allowed(user, through: now)
        hours.given = allowed
        guard now >= 0, !hours.acts.isEmpty else { return ([], allowed[max(0, now)]) }
        return (hours.run(until: now + 1)[now], allowed[now])
    }

    /// The state of a device after an act, or why nothing was done.
    mutating func act(_ deed: DeviceAct.Deed, on device: String, of user: UserID, at now: Int) -> String {
        let (lines, allowed) = devices(of: user, at: now)
        let active = lines.count { $0.hasSuffix(" active") }
        let known = lines.first { $0.hasPrefix(device + " ") }
        switch deed {
        case .registered where known == nil:
            guard active < allowed else { return "\(active) of \(allowed)" }
        case .reactivated where known?.contains(" suspended ") ?? false:
            guard active < allowed else { return "\(active) of \(allowed)" }
        case .registered, .reactivated, .suspended, .seen, .removed:
            guard known != nil else { return wasRemoved(deed, device, user) ? "removed" : "unknown" }
        }
        devices[user, default: []].append(HourByHour.Act(hour: now, device: device, deed: deed))
        guard deed != .removed else { return "removed" }
        return devices(of: user, at: now).lines.first { $0.hasPrefix(device + " ") } ?? "gone"
    }

    /// To remove what was removed is no mistake.
    private func wasRemoved(_ deed: DeviceAct.Deed, _ device: String, _ user: UserID) -> Bool {
        deed == .removed && devices[user]?.contains { $0.device == device && $0.deed == .removed } ?? false
    }
}

extension ProductID {
    static let proSeats: ProductID = "addon.pro.seats"
}

import Entitlements

/// What users are told.
extension QuarterByQuarter {
    /// Written as `Timeline.told(at:)` writes it.
    mutating func answer(to user: UserID, at now: Int) -> [String] {
        let pieces = pieces(of: user).filter {
            counts($0.environment, for: user) && (!$0.isGrace || $0.quarters.lowerBound <= now)
        }
        let (devices, allowed) = devices(of: user, at: now)
        let active = devices.count { $0.hasSuffix(" active") }
        return [
            Self.access(by: pieces, at: now),
            "features \(features(of: user, by: pieces, at: now))",
            "covered by "
                + Stretch.text(
                    pieces.map {
                        Stretch(
                            id: $0.id, tier: $0.tier.rawValue, startsAt: Self.instant($0.quarters.lowerBound),
                            endsAt: Self.instant($0.quarters.upperBound))
                    }),
            "add-ons \(addOns(of: user, by: pieces, at: now).map { "\($0.product) \($0.state)" })",
            "credits " + balances(of: user, at: now),
            "devices \(devices), \(active) of \(allowed)",
        ]
    }

    private static func access(by pieces: [Piece], at now: Int) -> String {
        let covering = pieces.filter { $0.quarters.contains(now) }
        guard let top = covering.min(by: { ($1.tier.rank, $0.tier.lane) < ($0.tier.rank, $1.tier.lane) }) else {
            let last = pieces.map(\.quarters.upperBound).filter { $0 <= now }.max().map { instant($0).text } ?? "never"
            return "\(last == "never" ? "none" : "expired"), free 0 until \(last), access until \(last)"
        }
        let isPaid = covering.contains { !$0.isGrace && $0.tier.rank == top.tier.rank }
        let ends = [top.tier.rank, 0].map { rank in
            var end = now
            while pieces.contains(where: { $0.tier.rank >= rank && $0.quarters.contains(end) }) { end += 1 }
            return instant(end).text
        }
        return "\(isPaid ? "active" : "grace"), \(top.tier) \(top.tier.rank) until \(ends[0]), access until \(ends[1])"
    }

    private func addOns(of user: UserID, by pieces: [Piece], at now: Int) -> [(product: ProductID, state: String)] {
        let topRank = pieces.filter { $0.quarters.contains(now) }.map(\.tier.rank).max() ?? 0
        var states: [ProductID: Set<String>] = [:]
        for thing in things where thing.madeAt <= now && counts(thing.key.environment, for: user) {
            guard case .addOn(let product) = thing.worth,
                thing.stays.contains(where: { $0.user == user && $0.holds(now) })
            else { continue }
            let state =
                thing.share(now) > 0 ? "revoked" : Self.required(by: product) <= topRank ? "active" : "suspended"
            states[product, default: []].insert(state)
        }
        return states.sorted { $0.key < $1.key }.map { product, states in
            (product, ["active", "suspended", "revoked"].first { states.contains($0) } ?? "")
        }
    }

    private func features(of user: UserID, by pieces: [Piece], at now: Int) -> [String] {
        let tiers = Set(pieces.filter { $0.quarters.contains(now) }.map(\.tier))
        var features = Set(
            tiers.flatMap { [Tier.basic: ["standard"], .pro: ["standard", "premium"]][$0] ?? ["eyes"] })
        for (product, state) in addOns(of: user, by: pieces, at: now) where state == "active" {
            features.formUnion([ProductID.xyz: ["xyz"], .proOnly: ["extra"]][product] ?? [])
        }
        return features.sorted()
    }

    private func balances(of user: UserID, at now: Int) -> String {
        [StoreEnvironment.production, .sandbox].filter { counts($0, for: user) }.compactMap { environment in
            let begun = lots(environment, of: user).map { thing in
                thing.madeAt <= now && thing.stays.contains { $0.user == user && $0.from <= now }
            }
            let hasActed = acts(environment, of: user).contains { $0.effectiveAt <= Self.instant(now) }
            guard hasActed || begun.contains(true) else { return nil }
            let units = purse(environment, of: user, at: now)
            return "\(units.balance); \(zip(begun, units.left).filter { $0.0 }.map(\.1))"
        }.joined(separator: " and ")
    }
}

/// What one purchase covers.
struct Stretch {
    let id: String
    let tier: String
    let startsAt: Instant
    var endsAt: Instant

    /// By start and then by id; what overlaps or goes on without a gap is one.
    static func text(_ stretches: [Stretch]) -> String {
        var joined: [Stretch] = []
        for stretch in stretches.sorted(by: { ($0.id, $0.startsAt) < ($1.id, $1.startsAt) }) {
            if let last = joined.last, last.id == stretch.id, stretch.startsAt <= last.endsAt {
                joined[joined.count - 1].endsAt = max(last.endsAt, stretch.endsAt)
            } else {
                joined.append(stretch)
            }
        }
        return joined.sorted { ($0.startsAt, $0.id) < ($1.startsAt, $1.id) }
            .map { "\($0.id) \($0.tier) \($0.startsAt.text)..\($0.endsAt.text)" }.joined(separator: ", ")
    }
}

extension Timeline {
    /// Of what a user is told, all that `QuarterByQuarter` answers too.
    func told(at instant: Instant) -> [String] {
        let status = status(at: instant)
        let devices = devices(at: instant)
        let credits = status.credits.map { balance in
            let lots = lotBalances(at: instant).filter { $0.purse.environment == balance.environment }
            return "\(balance.text); \(lots.map { [$0.spendable, $0.repaid] })"
        }
        let (expiresAt, accessExpiresAt) = (status.expiresAt?.text ?? "never", status.accessExpiresAt?.text ?? "never")
        return [
            "\(status.state), \(status.tier?.text ?? "") \(status.tierRank ?? 0) until \(expiresAt), "
                + "access until \(accessExpiresAt)",
            "features \(status.features.map(\.text))",
            "covered by "
                + Stretch.text(
                    status.segments.map {
                        Stretch(
                            id: $0.key.externalID.text, tier: $0.tier.text, startsAt: $0.startsAt, endsAt: $0.endsAt)
                    }),
            "add-ons \(status.addOns.map { "\($0.productID) \($0.state)" })",
            "credits " + credits.joined(separator: " and "),
            "devices \(devices.lines), \(status.devices.active) of \(status.devices.allowed)",
        ]
    }
}

/// All that a user's facts give, past and planned: the one function that turns facts into coverage.
///
/// It depends on the set of facts and on the catalogue alone; the settings only say what of it counts. So any order and
/// repetition of the same evidence folds to the same timeline, and `Timeline(folding: ledger.known(at:), …)` is what
/// was known at an instant (`semantics.md` §1).
package struct Timeline: Sendable {
    package let user: UserID
    package let catalogue: CatalogueVersions
    package let settings: EntitlementSettings
    /// By anchor, then by id.
    package let purchases: [Purchase]
    /// What passes and windows cover, whether or not their environment counts; by start.
    package let planned: [Coverage]
    /// The same, for each of `purchases`.
    let plannedByPurchase: [[Coverage]]
    /// What counts only once entered, and only where a period's renewal may still be published.
    package let graces: [Coverage]
    /// Whether sandbox purchases count for this user (`semantics.md` §9).
    package let countsSandbox: Bool

    package init(
        folding ledger: UserLedger, given catalogue: CatalogueVersions, settings: EntitlementSettings,
        isSandboxTester: Bool = false
    ) {
        user = ledger.user
        self.catalogue = catalogue
        self.settings = settings
        countsSandbox =
            switch settings.sandboxAccess {
            case .nobody: false
            case .testers: isSandboxTester
            case .everyone: true
            }
        purchases = Purchase.all(in: ledger, given: catalogue)
        let pieces = Self.windows(of: purchases) + Self.passes(of: purchases, given: catalogue)
        planned = pieces.indices.sorted { Coverage.precedes(pieces[$0], pieces[$1]) }.map { pieces[$0] }
        var plannedByPurchase = [[Coverage]](repeating: [], count: purchases.count)
        for piece in planned { plannedByPurchase[piece.purchase].append(piece) }
        self.plannedByPurchase = plannedByPurchase
        graces = Self.graces(of: purchases, leewayHours: settings.renewalLeewayHours)
    }

    /// Whether what this purchase gives counts for the user.
    package func counts(_ environment: StoreEnvironment) -> Bool {
        switch environment {
        case .production: true
        case .sandbox: countsSandbox
        }
    }

    /// Why `purchase` is only recorded, if it is.
    package func obstacle(to purchase: Purchase) -> Purchase.Obstacle? {
        if case .recorded(let obstacle) = purchase.worth { return obstacle }
        return counts(purchase.key.environment) ? nil : .sandboxNotAllowed
    }

    private static func windows(of purchases: [Purchase]) -> [Coverage] {
        purchases.indices.flatMap { index in
            purchases[index].windows.flatMap { window in
                window.covered.compactMap { Coverage($0, of: window, in: purchases[index], at: index, isGrace: false) }
            }
        }
    }

    private static func graces(of purchases: [Purchase], leewayHours: Int) -> [Coverage] {
        purchases.indices.flatMap { index in
            purchases[index].windows.flatMap { window in
                window.grace(leewayHours: leewayHours)
                    .compactMap { Coverage($0, of: window, in: purchases[index], at: index, isGrace: true) }
            }
        }
    }

    /// One clock for each lane of each environment.
    private static func passes(of purchases: [Purchase], given catalogue: CatalogueVersions) -> [Coverage] {
        var members: [LaneOfEnvironment: [Int]] = [:]
        for (index, purchase) in purchases.enumerated() {
            guard case .pass(let tier, _) = purchase.worth else { continue }
            members[LaneOfEnvironment(lane: tier.lane, environment: purchase.key.environment), default: []]
                .append(index)
        }
        return members.flatMap { place, indices in
            let clock = PassClock(
                running: indices.compactMap { purchases[$0].pass },
                pausedBy: pauses(in: place, of: purchases, given: catalogue))
            return clock.runs.compactMap { run in
                Coverage(run, of: purchases[indices[run.pass]], at: indices[run.pass])
            }
        }
    }

    private static func pauses(
        in place: LaneOfEnvironment, of purchases: [Purchase], given catalogue: CatalogueVersions
    ) -> [PassClock.Pause] {
        switch catalogue.lane(place.lane).underHigherWindow {
        case .run: return []
        case .pause: break
        }
        let windows = purchases.lazy.filter { $0.key.environment == place.environment }.flatMap(\.windows)
        return windows.filter { $0.tier.lane == place.lane }.flatMap { window in
            window.covered.compactMap { part in
                part.endsAt.map { PassClock.Pause(rank: window.tier.rank, startsAt: part.startsAt, endsAt: $0) }
            }
        }
    }

    /// What is folded by itself.
    private struct LaneOfEnvironment: Hashable {
        let lane: LaneID
        let environment: StoreEnvironment
    }
}

extension Purchase {
    /// As the clock of its lane sees it; nil when it is no pass that counts.
    package var pass: Pass? {
        guard case .pass(let tier, let length) = worth else { return nil }
        return Pass(key: key, anchor: anchor, length: length, rank: tier.rank, share: share)
    }

    /// Its periods that count; none when it is no plan.
    package var windows: [Window] {
        guard case .plan(let windows) = worth else { return [] }
        return windows
    }
}

extension Coverage {
    /// Nil for an interval without an end, which no window has.
    fileprivate init?(
        _ part: Explanation.Interval, of window: Window, in purchase: Purchase, at index: Int, isGrace: Bool
    ) {
        guard let endsAt = part.endsAt else { return nil }
        self.init(
            segment: Segment(
                lane: window.tier.lane, tier: window.tier.id, tierRank: window.tier.rank, key: purchase.key,
                startsAt: part.startsAt, endsAt: endsAt),
            purchase: index, seats: window.seats, isGrace: isGrace)
    }

    /// Nil for a purchase that is no pass, which never runs.
    fileprivate init?(_ run: PassClock.Run, of purchase: Purchase, at index: Int) {
        guard case .pass(let tier, _) = purchase.worth else { return nil }
        self.init(
            segment: Segment(
                lane: tier.lane, tier: tier.id, tierRank: tier.rank, key: purchase.key, startsAt: run.startsAt,
                endsAt: run.endsAt),
            purchase: index, seats: nil, isGrace: false)
    }
}

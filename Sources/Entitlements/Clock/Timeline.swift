/// The fold of a user's ledger: everything that the facts together give, past and planned.
///
/// A timeline depends on the set of facts, the catalogue and the settings. The order in which evidence arrived does not
/// matter, and neither do repeats. `Timeline(folding: ledger.known(at:), …)` is the timeline as it was known at an
/// instant (`semantics.md` §1).
package struct Timeline: Sendable {
    package let user: UserID
    /// True if the user has a ledger entry.
    private(set) var isKnown: Bool
    package let catalogue: CatalogueVersions
    package let settings: EntitlementSettings
    /// The purchases that the user has or had, by anchor and then by id.
    package let purchases: [Purchase]
    /// The coverage of passes and windows, by start. Coverage of an environment that does not count is included.
    package let planned: [Coverage]
    /// The planned coverage of each purchase, at the purchase's index in `purchases`.
    let plannedByPurchase: [[Coverage]]
    /// The grace and leeway of all windows, which count only once they have begun. Grace and leeway of an environment
    /// that does not count are included.
    package let graces: [Coverage]
    /// The facts about credits: one element for each purse, ordered by unit and environment. Purses of an environment
    /// that does not count are included.
    package private(set) var purses: [PurseFacts]
    /// True if sandbox purchases count for this user (`semantics.md` §9).
    package private(set) var countsSandbox: Bool
    /// The acts with the user's devices, in the order of recording, each with the instant from which it holds.
    private(set) var deviceActs: [DeviceAct.Dated]

    /// - Parameter instant: If sandbox purchases count only for testers, the instant at which the user must be on the
    ///   list of sandbox testers.
    package init(
        folding ledger: UserLedger, given catalogue: CatalogueVersions, settings: EntitlementSettings,
        testersAt instant: Instant = .distantFuture
    ) {
        if let kept = ledger.fold?.timeline, kept.isFolded(given: catalogue, settings: settings) {
            self = kept
            countsSandbox = settings.countsSandbox(for: ledger, at: instant)
            return
        }
        user = ledger.user
        isKnown = !ledger.entries.isEmpty
        self.catalogue = catalogue
        self.settings = settings
        countsSandbox = settings.countsSandbox(for: ledger, at: instant)
        deviceActs = DeviceAct.Dated.all(in: ledger)
        purchases = Purchase.all(of: PurchaseFacts.all(in: ledger), given: catalogue)
        purses = Self.purses(of: purchases, ledger)
        let pieces = Self.windows(of: purchases) + Self.passes(of: purchases, given: catalogue)
        planned = pieces.indices.sorted { Coverage.precedes(pieces[$0], pieces[$1]) }.map { pieces[$0] }
        var plannedByPurchase = [[Coverage]](repeating: [], count: purchases.count)
        for piece in planned { plannedByPurchase[piece.purchase].append(piece) }
        self.plannedByPurchase = plannedByPurchase
        graces = Self.graces(of: purchases, leewayHours: settings.renewalLeewayHours)
    }

    /// True if the timeline was folded with this catalogue and these settings.
    func isFolded(given catalogue: CatalogueVersions, settings: EntitlementSettings) -> Bool {
        self.settings == settings && self.catalogue.latest.number == catalogue.latest.number
            && self.catalogue.versions.count == catalogue.versions.count
    }

    /// Returns this timeline with one more entry; nil if all entries have to be folded again. An act with credits or a
    /// device is added at little cost, a fact about a purchase is not.
    func adding(_ entry: LedgerEntry) -> Timeline? {
        var timeline = self
        timeline.isKnown = true
        switch entry.fact {
        case .credit(let act):
            guard let place = purses.firstIndex(where: { $0.isConcerned(by: act) }),
                let facts = purses[place].adding(CreditEntry(act, at: entry.effectiveAt))
            else { return nil }
            timeline.purses[place] = facts
        case .device(let act):
            timeline.deviceActs.append(.init(act, of: entry, after: deviceActs.last))
        case .consumptionConsent: break
        case .stated, .bound, .granted, .withdrawn, .gaveAway, .received,
            .sandboxTester:
            return nil
        }
        return timeline
    }

    /// True if purchases of this environment count for the user.
    package func counts(_ environment: StoreEnvironment) -> Bool {
        switch environment {
        case .production: true
        case .sandbox: countsSandbox
        }
    }

    /// Returns the obstacle because of which `purchase` is only recorded; nil if there is none.
    package func obstacle(to purchase: Purchase) -> Purchase.Obstacle? {
        if case .recorded(let obstacle) = purchase.benefit { return obstacle }
        return counts(purchase.key.environment) ? nil : .sandboxNotAllowed
    }

    private static func windows(of purchases: [Purchase]) -> [Coverage] {
        coverage(of: purchases) { $0.covered.map { ($0, nil) } }
    }

    private static func graces(of purchases: [Purchase], leewayHours: Int) -> [Coverage] {
        coverage(of: purchases) { $0.graces(leewayHours: leewayHours).map { ($0.part, .some($0.isLeeway)) } }
    }

    /// Returns, as coverage, those parts of each window (given by `parts`) in which the user has the purchase.
    private static func coverage(
        of purchases: [Purchase], by parts: (Window) -> [(part: Interval, isLeeway: Bool?)]
    ) -> [Coverage] {
        purchases.enumerated().flatMap { index, purchase in
            purchase.windows.enumerated().flatMap { place, window in
                parts(window).flatMap { part, isLeeway in
                    purchase.held([part]).compactMap {
                        Coverage($0, of: window, at: place, in: purchase, at: index, isLeeway: isLeeway)
                    }
                }
            }
        }
    }

    /// Returns the coverage of the passes; each lane of each environment has a clock of its own.
    private static func passes(of purchases: [Purchase], given catalogue: CatalogueVersions) -> [Coverage] {
        var members: [LaneOfEnvironment: [(pass: Pass, purchase: Int)]] = [:]
        for (index, purchase) in purchases.enumerated() {
            guard case .pass(let tier, _) = purchase.benefit else { continue }
            members[LaneOfEnvironment(lane: tier.lane, environment: purchase.key.environment), default: []]
                .append(contentsOf: purchase.passes.map { ($0, index) })
        }
        return members.flatMap { place, members in
            let clock = PassClock(
                running: members.map(\.pass), pausedBy: pauses(in: place, of: purchases, given: catalogue))
            return clock.runs.compactMap { run in
                Coverage(run, of: purchases[members[run.pass].purchase], at: members[run.pass].purchase)
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
        return purchases.filter { $0.key.environment == place.environment }.flatMap { purchase in
            purchase.windows.filter { $0.tier.lane == place.lane }.flatMap { window in
                purchase.held(window.covered).compactMap { part in
                    part.endsAt.map { PassClock.Pause(rank: window.tier.rank, startsAt: part.startsAt, endsAt: $0) }
                }
            }
        }
    }

    /// A lane in one environment; it has a clock of its own.
    private struct LaneOfEnvironment: Hashable {
        let lane: LaneID
        let environment: StoreEnvironment
    }
}

extension Coverage {
    /// Returns nil for an interval without an end; a part of a window always has one.
    ///
    /// - Parameter isLeeway: Nil for coverage that is paid for.
    fileprivate init?(
        _ part: Interval, of window: Window, at place: Int, in purchase: Purchase, at index: Int, isLeeway: Bool?
    ) {
        guard let endsAt = part.endsAt else { return nil }
        self.init(
            segment: Segment(
                lane: window.tier.lane, tier: window.tier.id, tierRank: window.tier.rank, key: purchase.key,
                productID: window.productID, storeProductID: window.storeProductID, startsAt: part.startsAt,
                endsAt: endsAt),
            purchase: index, window: place, seats: window.seats, isGrace: isLeeway != nil, isLeeway: isLeeway ?? false)
    }

    /// Returns nil for a purchase that is no pass; a clock runs only passes.
    fileprivate init?(_ run: PassClock.Run, of purchase: Purchase, at index: Int) {
        guard case .pass(let tier, _) = purchase.benefit else { return nil }
        self.init(
            segment: Segment(
                lane: tier.lane, tier: tier.id, tierRank: tier.rank, key: purchase.key, productID: purchase.productID,
                storeProductID: purchase.storeProductID, startsAt: run.startsAt, endsAt: run.endsAt),
            purchase: index, window: nil, seats: purchase.seats, isGrace: false, isLeeway: false)
    }
}

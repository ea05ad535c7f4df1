/// All that a user's facts give, past and planned: the one function that turns facts into coverage.
///
/// A timeline depends on the set of facts and on the catalogue alone; the settings only say which parts count. So any
/// order and repetition of the same evidence folds to the same timeline, and `Timeline(folding: ledger.known(at:), …)`
/// is what was known at an instant (`semantics.md` §1).
package struct Timeline: Sendable {
    package let user: UserID
    package let catalogue: CatalogueVersions
    package let settings: EntitlementSettings
    /// The user's purchases, by anchor, then by id.
    package let purchases: [Purchase]
    /// The coverage of passes and windows, whether or not their environment counts; by start.
    package let planned: [Coverage]
    /// The planned coverage of each of `purchases`.
    let plannedByPurchase: [[Coverage]]
    /// Grace that counts only once it was entered, and only where a period's renewal may still be published.
    package let graces: [Coverage]
    /// The facts that make the balances of credits, whether or not their environment counts; by unit and environment.
    package private(set) var purses: [PurseFacts]
    /// True if sandbox purchases count for this user (`semantics.md` §9).
    package private(set) var countsSandbox: Bool
    /// The acts with the user's devices, in the order of recording.
    private(set) var deviceActs: [DeviceAct.Dated]

    /// - Parameter instant: The time whose list of testers decides whether sandbox purchases count.
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

    /// This timeline with one more entry, where that only adds to what is folded already; nil where all entries have to
    /// be folded anew.
    func adding(_ entry: LedgerEntry) -> Timeline? {
        var timeline = self
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

    /// Why `purchase` is only recorded, if it is.
    package func obstacle(to purchase: Purchase) -> Purchase.Obstacle? {
        if case .recorded(let obstacle) = purchase.benefit { return obstacle }
        return counts(purchase.key.environment) ? nil : .sandboxNotAllowed
    }

    private static func windows(of purchases: [Purchase]) -> [Coverage] {
        coverage(of: purchases, isGrace: false) { $0.covered }
    }

    private static func graces(of purchases: [Purchase], leewayHours: Int) -> [Coverage] {
        coverage(of: purchases, isGrace: true) { $0.grace(leewayHours: leewayHours) }
    }

    /// The coverage of the windows while their purchases are the user's.
    private static func coverage(
        of purchases: [Purchase], isGrace: Bool, by parts: (Window) -> [Interval]
    ) -> [Coverage] {
        purchases.indices.flatMap { index in
            purchases[index].windows.flatMap { window in
                purchases[index].held(parts(window)).compactMap {
                    Coverage($0, of: window, in: purchases[index], at: index, isGrace: isGrace)
                }
            }
        }
    }

    /// The coverage of the passes, by a clock for each lane of each environment.
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

    /// A lane in one environment, which is folded by itself.
    private struct LaneOfEnvironment: Hashable {
        let lane: LaneID
        let environment: StoreEnvironment
    }
}

extension Coverage {
    /// Nil for an interval without an end, which no window has.
    fileprivate init?(
        _ part: Interval, of window: Window, in purchase: Purchase, at index: Int, isGrace: Bool
    ) {
        guard let endsAt = part.endsAt else { return nil }
        self.init(
            segment: Segment(
                lane: window.tier.lane, tier: window.tier.id, tierRank: window.tier.rank, key: purchase.key,
                productID: window.productID, storeProductID: window.storeProductID, startsAt: part.startsAt,
                endsAt: endsAt),
            purchase: index, seats: window.seats, isGrace: isGrace)
    }

    /// Nil for a purchase that is no pass, which never runs.
    fileprivate init?(_ run: PassClock.Run, of purchase: Purchase, at index: Int) {
        guard case .pass(let tier, _) = purchase.benefit else { return nil }
        self.init(
            segment: Segment(
                lane: tier.lane, tier: tier.id, tierRank: tier.rank, key: purchase.key, productID: purchase.productID,
                storeProductID: purchase.storeProductID, startsAt: run.startsAt, endsAt: run.endsAt),
            purchase: index, seats: purchase.seats, isGrace: false)
    }
}

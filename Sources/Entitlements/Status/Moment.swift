/// A timeline at an instant: the coverage that counts then, and the state of each purchase.
struct Moment {
    let timeline: Timeline
    let at: Instant
    /// The version of the catalogue in force.
    let catalogue: Catalogue
    /// All coverage in the environments that count for this user, past and planned. Grace and leeway
    /// (``Coverage/isGrace``) are included only once they have begun.
    let coverage: [Coverage]
    let covering: [Coverage]
    /// The coverage of the highest rank now; of several, the first by the name of its lane.
    let top: Coverage?
    /// The coverage of each purchase by start, at the purchase's index in the timeline.
    let pieces: [[Coverage]]
    /// The present period of each plan (`semantics.md` §7); nil for any other purchase.
    private(set) var presentPeriods: [Window?] = []
    /// The state of each purchase now, at the purchase's index in the timeline.
    private(set) var doings: [Doing] = []

    init(of timeline: Timeline, at: Instant) {
        self.timeline = timeline
        self.at = at
        catalogue = timeline.catalogue.inForce(at: at).catalogue
        let entered = timeline.graces.filter { $0.segment.startsAt <= at }
        let known = entered.isEmpty ? timeline.planned : (timeline.planned + entered).sorted(by: Coverage.precedes)
        coverage = known.filter { timeline.counts($0.segment.key.environment) }
        covering = coverage.filter { $0.covers(at) }
        top = covering.min { $0.segment.outranks($1.segment) }
        var pieces = timeline.plannedByPurchase
        for piece in entered {
            let next = pieces[piece.purchase].firstIndex { Coverage.precedes(piece, $0) }
            pieces[piece.purchase].insert(piece, at: next ?? pieces[piece.purchase].count)
        }
        self.pieces = pieces
        presentPeriods = timeline.purchases.indices.map { presentPeriod($0) }
        doings = timeline.purchases.indices.map { doing($0) }
    }

    /// Returns the tier, taken from the version in force, else from the newest version that names it.
    func tier(_ id: TierID) -> Tier? {
        catalogue.tiers.first { $0.id == id } ?? timeline.catalogue.tier(id)
    }

    /// The tier of the highest-ranking coverage, else the default tier.
    var tier: Tier? { (top?.segment.tier ?? catalogue.defaultTier).flatMap { tier($0) } }

    /// The state of the whole answer. It is `grace` if only grace or leeway covers at the highest rank.
    var state: Status.State {
        guard let rank = top?.segment.tierRank else {
            return coverage.contains { $0.segment.endsAt <= at } ? .expired : .none
        }
        return covering.contains { $0.segment.tierRank == rank && !$0.isGrace } ? .active : .grace
    }

    /// The ends of coverage without a gap: at the highest rank now or above, and at any rank. Without coverage now,
    /// both are the end of the last coverage.
    var reach: (expiresAt: Instant?, accessExpiresAt: Instant?) {
        guard let rank = top?.segment.tierRank else {
            let last = coverage.lazy.map(\.segment.endsAt).filter { $0 <= at }.max()
            return (last, last)
        }
        return (endOfCoverage(fromRank: rank), endOfCoverage(fromRank: .min))
    }

    /// Returns the end of coverage without a gap from now on, at `rank` or higher.
    private func endOfCoverage(fromRank rank: Int) -> Instant {
        var end = at
        for piece in coverage where piece.segment.tierRank >= rank {
            guard piece.segment.startsAt <= end else { break }
            end = max(end, piece.segment.endsAt)
        }
        return end
    }

    /// The tiers that give something now: the tiers of all coverage now, else the default tier.
    private var givingTiers: [Tier] {
        guard top != nil else { return catalogue.defaultTier.flatMap { tier($0) }.map { [$0] } ?? [] }
        return Set(covering.map(\.segment.tier)).compactMap { tier($0) }
    }

    /// The features of everything that covers now and of active add-ons, in ascending order.
    var features: [Feature] {
        Set(givingTiers.flatMap(\.features) + addOns.filter { $0.state == .active }.flatMap(\.features)).sorted()
    }

    /// For each limit, the largest number that any coverage now gives.
    var limits: [String: Int] {
        givingTiers.reduce(into: [:]) { $0.merge($1.limits, uniquingKeysWith: max) }
    }
}

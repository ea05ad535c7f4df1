/// A timeline at one instant: its coverage, and the state of each purchase.
struct Moment {
    let timeline: Timeline
    let at: Instant
    /// The catalogue in force.
    let catalogue: Catalogue
    /// The coverage that counts for this user: everything planned, and the graces that were entered.
    let coverage: [Coverage]
    let covering: [Coverage]
    /// The highest-ranking coverage now; ties by lane name.
    let top: Coverage?
    /// The coverage of each purchase, by start.
    let pieces: [[Coverage]]
    /// The period that is told of each purchase; nil for what is no plan.
    private(set) var presentPeriods: [Window?] = []
    /// The present state of each purchase.
    private(set) var doings: [Doing] = []

    init(of timeline: Timeline, at: Instant) {
        self.timeline = timeline
        self.at = at
        catalogue = timeline.catalogue.inForce(at: at).catalogue
        let entered = timeline.graces.filter { $0.segment.startsAt <= at }
        let known = entered.isEmpty ? timeline.planned : (timeline.planned + entered).sorted(by: Coverage.precedes)
        coverage = known.filter { timeline.counts($0.segment.key.environment) }
        covering = coverage.filter { $0.covers(at) }
        top = covering.min { left, right in
            let (first, second) = (left.segment, right.segment)
            return first.tierRank != second.tierRank ? first.tierRank > second.tierRank : first.lane < second.lane
        }
        var pieces = timeline.plannedByPurchase
        for piece in entered { pieces[piece.purchase].append(piece) }
        self.pieces = pieces
        presentPeriods = timeline.purchases.map { presentPeriod(of: $0) }
        doings = timeline.purchases.indices.map { doing($0) }
    }

    /// A tier as the catalogue in force has it, else as the newest version that names it.
    func tier(_ id: TierID) -> Tier? {
        catalogue.tiers.first { $0.id == id } ?? timeline.catalogue.tier(id)
    }

    /// The tier of the highest-ranking coverage, else the default tier.
    var tier: Tier? { (top?.segment.tier ?? catalogue.defaultTier).flatMap { tier($0) } }

    /// Grace when nothing else covers at the rank that is shown.
    var state: Status.State {
        guard let rank = top?.segment.tierRank else {
            return coverage.contains { $0.segment.endsAt <= at } ? .expired : .none
        }
        return covering.contains { $0.segment.tierRank == rank && !$0.isGrace } ? .active : .grace
    }

    /// The ends of gap-free coverage; without coverage the end of the last one.
    var reach: (expiresAt: Instant?, accessExpiresAt: Instant?) {
        guard let rank = top?.segment.tierRank else {
            let last = coverage.lazy.map(\.segment.endsAt).filter { $0 <= at }.max()
            return (last, last)
        }
        return (endOfCoverage(fromRank: rank), endOfCoverage(fromRank: .min))
    }

    /// The end of gap-free coverage from now on at `rank` or higher.
    private func endOfCoverage(fromRank rank: Int) -> Instant {
        var end = at
        for piece in coverage where piece.segment.tierRank >= rank {
            guard piece.segment.startsAt <= end else { break }
            end = max(end, piece.segment.endsAt)
        }
        return end
    }

    /// The tiers that give something now: of all that cover, else the default tier.
    private var givingTiers: [Tier] {
        guard top != nil else { return catalogue.defaultTier.flatMap { tier($0) }.map { [$0] } ?? [] }
        return Set(covering.map(\.segment.tier)).compactMap { tier($0) }
    }

    /// The union over everything that covers now, and active add-ons; ascending.
    var features: [Feature] {
        Set(givingTiers.flatMap(\.features) + addOns.filter { $0.state == .active }.flatMap(\.features)).sorted()
    }

    /// The largest given by what covers now.
    var limits: [String: Int] {
        givingTiers.reduce(into: [:]) { $0.merge($1.limits, uniquingKeysWith: max) }
    }
}

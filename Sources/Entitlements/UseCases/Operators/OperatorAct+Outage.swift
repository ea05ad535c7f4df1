extension OperatorAct {
    /// An outage, and the pass that makes up for it. Users get the pass who had coverage at any instant of the outage.
    package struct Outage: Hashable, Sendable {
        package static let maximumHours = 24 * CatalogueCheck.maximumDays

        package let startsAt: Instant
        /// The end of the outage, exclusive.
        package let endsAt: Instant
        /// The length of the pass in hours.
        package let hours: Int
        /// The tier of the pass; nil for the highest tier that the user had in the outage.
        package let tier: TierID?
        /// True if coverage from plans and windows counts too; false if only passes count.
        package let countsAnySource: Bool

        package init(
            from startsAt: Instant, to endsAt: Instant, hours: Int, tier: TierID? = nil, countsAnySource: Bool = false
        ) {
            self.startsAt = startsAt
            self.endsAt = endsAt
            self.hours = hours
            self.tier = tier
            self.countsAnySource = countsAnySource
        }
    }
}

extension Timeline {
    /// Returns the highest tier that the user had at any instant of the outage before `now`; nil if there was none.
    func tierHad(during outage: OperatorAct.Outage, by now: Instant) -> TierID? {
        let endsAt = min(outage.endsAt, now)
        let covering = (planned + graces).filter { (piece: Coverage) in
            piece.segment.startsAt < endsAt && outage.startsAt < piece.segment.endsAt
                && counts(piece.segment.key.environment) && (outage.countsAnySource || isPass(piece.purchase))
        }
        return covering.map(\.segment).min { ($1.tierRank, $0.lane) < ($0.tierRank, $1.lane) }?.tier
    }

    private func isPass(_ index: Int) -> Bool {
        switch purchases[index].benefit {
        case .pass: true
        case .recorded, .addOn, .credits, .plan: false
        }
    }
}

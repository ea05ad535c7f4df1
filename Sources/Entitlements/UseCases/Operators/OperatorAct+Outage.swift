extension OperatorAct {
    /// An outage, and the pass that makes up for it to those who had coverage at any instant of it.
    package struct Outage: Hashable, Sendable {
        package static let maximumHours = 24 * CatalogueCheck.maximumDays

        package let startsAt: Instant
        /// Exclusive.
        package let endsAt: Instant
        /// The length of the pass.
        package let hours: Int
        /// Nil for the tier that each user had.
        package let tier: TierID?
        /// True if coverage from plans and windows counts too, and not from passes alone.
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
    /// The highest tier that counted for the user at any instant of the outage that has come.
    func tierHad(during outage: OperatorAct.Outage, by now: Instant) -> TierID? {
        let endsAt = min(outage.endsAt, now)
        let covering = (planned + graces).filter { piece in
            piece.segment.startsAt < endsAt && outage.startsAt < piece.segment.endsAt
                && counts(piece.segment.key.environment) && (outage.countsAnySource || isPass(piece.purchase))
        }
        return covering.map(\.segment).min { left, right in
            left.tierRank != right.tierRank ? left.tierRank > right.tierRank : left.lane < right.lane
        }?.tier
    }

    private func isPass(_ index: Int) -> Bool {
        switch purchases[index].benefit {
        case .pass: true
        case .recorded, .addOn, .credits, .plan: false
        }
    }
}

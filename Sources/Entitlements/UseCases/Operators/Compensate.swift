/// Makes up for an outage: a pass of the tier that the user had, if they had coverage at any instant of it
/// (`semantics.md` §7).
///
/// Repeat is safe because `id` is made of the outage's reference and the user by the caller, the same each time: there
/// is one grant for each. A dry run is `compensation(given:)`, which appends nothing.
package struct Compensate: Sendable {
    /// The compensation of one user.
    package enum Compensation: Hashable, Sendable {
        case given(Grant)
        /// By an earlier run.
        case alreadyGiven(Grant)
        /// They had nothing that the outage could take from them.
        case notAffected
    }

    /// The outage, and the length of the pass that makes up for it.
    package struct Outage: Hashable, Sendable {
        package let startsAt: Instant
        /// Exclusive.
        package let endsAt: Instant
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

        /// Why no user at all is compensated for it; nil when that depends on the user.
        package func refusal(at now: Instant, given catalogue: CatalogueVersions) -> CompensationRefusal? {
            if let tier, !catalogue.inForce(at: now).catalogue.names(tier) { return .unknownTier }
            guard startsAt < min(endsAt, now) else { return .emptyOutage }
            return (1...Compensate.maximumHours).contains(hours) ? nil : .hoursOutOfRange
        }
    }

    package static let maximumHours = 24 * CatalogueCheck.maximumDays

    package let outage: Outage
    package let id: ExternalID
    package let user: UserID
    package let note: Note
    package let context: FoldContext

    package init(
        _ user: UserID, for outage: Outage, as id: ExternalID, note: Note, in context: FoldContext
    ) {
        self.user = user
        self.outage = outage
        self.id = id
        self.note = note
        self.context = context
    }

    package func decide(given history: PurchaseHistory) -> Decision<Compensation, CompensationRefusal> {
        let answer = compensation(given: history)
        guard case .success(.given(let grant)) = answer else { return Decision(answer: answer) }
        return Decision(drafts: [user: grant.drafts(note: note)], answer: answer)
    }

    /// The compensation of the user, or why nobody gets any.
    package func compensation(given history: PurchaseHistory) -> Result<Compensation, CompensationRefusal> {
        if let refusal = outage.refusal(at: history.now, given: context.catalogue) { return .failure(refusal) }
        let key = Grant.key(id)
        if let grant = history.ledger(of: user).grant(of: key) { return .success(.alreadyGiven(grant)) }
        guard let had = history.timeline(of: user, in: context).tierHad(during: outage, by: history.now) else {
            return .success(.notAffected)
        }
        let length = Int64(outage.hours) * Instant.millisecondsPerHour
        let gift = Grant.Gift.pass(tier: outage.tier ?? had, length: length)
        return .success(.given(Grant(key: key, gift: gift, grantedAt: history.now)))
    }
}

/// Why nobody is compensated, in order of precedence; the raw value is the problem's code.
package enum CompensationRefusal: String, Error, Hashable, Sendable, CaseIterable {
    /// The catalogue in force names no such tier.
    case unknownTier = "unknown_tier"
    /// The outage ends before it begins, or has not begun.
    case emptyOutage = "empty_outage"
    case hoursOutOfRange = "hours_out_of_range"
}

extension Timeline {
    /// The highest tier that counted for the user at any instant of the outage that has come.
    fileprivate func tierHad(during outage: Compensate.Outage, by now: Instant) -> TierID? {
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

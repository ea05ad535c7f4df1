/// `semantics.md` §7, and the status of §2.
extension DocumentReading {
    /// A period of the plan.
    private struct Period {
        let product: String
        let from: Int64
        /// Its own expiry.
        let expiresAt: Int64
        let states: [State]
        /// Where a higher plan took its place, or its expiry.
        var until: Int64
        var isUpgraded: Bool { states.contains(where: \.isUpgraded) }

        /// A refund ends it whatever the share.
        func isRefunded(at instant: Int64) -> Bool {
            DocumentReading.share(of: states, at: instant) > 0
        }

        /// What of a stretch is not refunded.
        func covered(from: Int64, until: Int64) -> [Range<Int64>] {
            let turns = DocumentReading.turns(of: states).filter { from < $0 && $0 < until }
            let edges = [from] + Set(turns).sorted() + [until]
            var parts: [Range<Int64>] = []
            for (start, end) in zip(edges, edges.dropFirst()) where start < end && !isRefunded(at: start) {
                if let last = parts.last, last.upperBound == start {
                    parts[parts.count - 1] = last.lowerBound..<end
                } else {
                    parts.append(start..<end)
                }
            }
            return parts
        }
    }

    private func periods() -> [Period] {
        var periods = Dictionary(grouping: states.filter(\.isPlan), by: \.period).values.map { states in
            let newest = states.filter { $0.expiresAt != nil }.max {
                ($0.signedAt, $0.expiresAt ?? 0) < ($1.signedAt, $1.expiresAt ?? 0)
            }
            let expiresAt = newest?.expiresAt ?? 0
            return Period(
                product: states[0].product, from: states.map(\.purchasedAt).min() ?? 0, expiresAt: expiresAt,
                states: states, until: expiresAt)
        }
        periods.sort { $0.from < $1.from }
        for place in periods.indices where periods[place].isUpgraded {
            let said = periods[place].states.filter(\.isUpgraded).map(\.signedAt).min() ?? .max
            let next = place + 1 < periods.count ? periods[place + 1].from : said
            periods[place].until = min(periods[place].expiresAt, next)
        }
        return periods
    }

    /// The newest state of the renewal that says something about the last period (rules 6 and 7).
    private func renewal(about last: Period) -> Renewal? {
        let since = min(last.from, last.states.map(\.signedAt).min() ?? .max)
        return renewals.filter { $0.signedAt >= since }.max { left, right in
            if left.signedAt != right.signedAt { return left.signedAt < right.signedAt }
            if (left.end == nil) != (right.end == nil) { return left.end == nil }
            if left.isInRetry != right.isInRetry { return right.isInRetry }
            if left.willRenew != right.willRenew { return left.willRenew }
            let (first, second) = (left.graceUntil ?? .min, right.graceUntil ?? .min)
            if first != second { return first > second }
            let (one, other) = (left.into ?? "~", right.into ?? "~")
            return one != other ? one < other : (left.consent ?? "~") < (right.consent ?? "~")
        }
    }

    /// What goes on after the last period's expiry (rule 4).
    private func grace(of last: Period) -> [Range<Int64>] {
        guard !last.isUpgraded, !last.isRefunded(at: last.expiresAt) else { return [] }
        let renewal = renewal(about: last)
        var until = last.expiresAt
        if let graceUntil = renewal?.graceUntil {
            until = max(until, graceUntil)
        } else if renewal.map({ !$0.isInRetry && $0.willRenew && $0.end == nil }) ?? true {
            until += Self.day
        }
        return last.covered(from: last.expiresAt, until: until)
    }

    /// What is told at each of `instants`, and all that is covered.
    func answer(at instants: [Int64]) -> ReadAnswer {
        let (periods, passes) = (periods(), passPieces())
        let id = states.first(where: \.isPlan)?.original ?? ""
        let windows = periods.flatMap { period in
            period.covered(from: period.from, until: period.until).map {
                ReadAnswer.Piece(
                    id: id, tier: Self.tiers[period.product]?.name ?? "", from: $0.lowerBound, until: $0.upperBound)
            }
        }
        let graces = periods.last.map { last in
            grace(of: last).map {
                ReadAnswer.Piece(
                    id: id, tier: Self.tiers[last.product]?.name ?? "", from: $0.lowerBound, until: $0.upperBound)
            }
        }
        return ReadAnswer(
            pieces: passes + windows,
            moments: instants.map { moment(at: $0, pieces: passes + windows, graces: graces ?? [], periods) })
    }

    private func moment(
        at instant: Int64, pieces: [ReadAnswer.Piece], graces: [ReadAnswer.Piece], _ periods: [Period]
    ) -> ReadAnswer.Moment {
        let entered = pieces + graces.filter { $0.from <= instant }
        func rank(_ piece: ReadAnswer.Piece) -> Int { piece.tier == "pro" ? 2 : 1 }
        func covers(_ piece: ReadAnswer.Piece) -> Bool { piece.from <= instant && instant < piece.until }
        /// The end of what covers from now on without a gap at `least` or higher.
        func end(_ least: Int) -> Int64? {
            var end = instant
            while let further = entered.first(where: { rank($0) >= least && $0.from <= end && end < $0.until }) {
                end = further.until
            }
            return end
        }
        let plan = told(at: instant, periods, covered: entered)
        guard let best = entered.filter(covers).max(by: { rank($0) < rank($1) }) else {
            let last = entered.map(\.until).filter { $0 <= instant }.max()
            return ReadAnswer.Moment(
                at: instant, isActive: false, tier: "free", state: last == nil ? "none" : "expired", expiresAt: last,
                accessExpiresAt: last, plan: plan)
        }
        let isPaid = pieces.contains { covers($0) && rank($0) == rank(best) }
        return ReadAnswer.Moment(
            at: instant, isActive: true, tier: best.tier, state: isPaid ? "active" : "grace",
            expiresAt: end(rank(best)), accessExpiresAt: end(0), plan: plan)
    }

    /// *What is told of a plan*.
    private func told(
        at instant: Int64, _ periods: [Period], covered: [ReadAnswer.Piece]
    ) -> ReadAnswer.Plan? {
        guard let first = periods.first, let last = periods.last else { return nil }
        let present = periods.last { $0.from <= instant } ?? first
        let isRefunded = last.isRefunded(at: instant)
        let renewal = isRefunded ? nil : renewal(about: last)
        let covering = covered.last { $0.from <= instant && instant < $0.until }
        let isPaid = periods.contains { period in
            period.covered(from: period.from, until: period.until).contains { $0.contains(instant) }
        }
        let isInRetry = renewal?.isInRetry ?? false
        let isPast = instant >= last.expiresAt && covering == nil
        let willRenew =
            !isRefunded && !last.isUpgraded && renewal?.willRenew ?? true && renewal?.end == nil
            && (!isPast || isInRetry)
        let state =
            isPaid
            ? "running"
            : covering != nil
                ? "grace"
                : instant < first.from
                    ? "queued"
                    : present.isRefunded(at: instant) ? "revoked" : isInRetry && isPast ? "billing_retry" : "finished"
        return ReadAnswer.Plan(
            product: present.product, state: state, willRenew: willRenew,
            renewsAs: willRenew ? renewal?.into ?? last.product : nil,
            graceEndsAt: renewal?.graceUntil.flatMap { $0 > last.expiresAt ? $0 : nil },
            isInRetry: isInRetry && instant >= last.expiresAt, reason: isPast ? renewal?.end : nil,
            consent: renewal?.end == nil ? renewal?.consent : nil)
    }
}

/// `semantics.md` §7, and the status of §2.
extension DocumentReading {
    /// A period of the plan.
    private struct Period {
        let id: String
        let product: String
        let from: Int64
        /// Its own expiry.
        let expiresAt: Int64
        let states: [State]
        /// Where another period or a higher plan took its place, or its expiry.
        var until: Int64
        /// The start of the next period.
        var next: Int64?
        var isReplaced: Bool { until < expiresAt || states.contains(where: \.isUpgraded) }
        var firstSigned: Int64 { states.map(\.signedAt).min() ?? .max }

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
                id: states[0].period, product: states[0].product, from: states.map(\.purchasedAt).min() ?? 0,
                expiresAt: expiresAt, states: states, until: expiresAt)
        }
        periods.sort { ($0.from, $0.firstSigned, $0.id) < ($1.from, $1.firstSigned, $1.id) }
        if periods.contains(where: { $0.from < $0.expiresAt }) { periods.removeAll { $0.from >= $0.expiresAt } }
        for place in periods.indices {
            let upgraded = periods[place].states.filter(\.isUpgraded).map(\.signedAt).min()
            periods[place].next = place + 1 < periods.count ? periods[place + 1].from : nil
            periods[place].until = min(periods[place].expiresAt, periods[place].next ?? upgraded ?? .max)
        }
        return periods
    }

    /// What is said of the time after a period's end, and from when on; nil while nothing is said (rules 4, 6 and 7).
    private func wordsOnEnd(of period: Period) -> [(from: Int64, renewal: Renewal?)] {
        let since = min(period.from, period.firstSigned)
        let said = renewals.filter { $0.signedAt >= since }.sorted { left, right in
            if left.signedAt != right.signedAt { return left.signedAt < right.signedAt }
            if (left.end == nil) != (right.end == nil) { return left.end == nil }
            if left.isInRetry != right.isInRetry { return right.isInRetry }
            if left.willRenew != right.willRenew { return left.willRenew }
            let (first, second) = (left.graceUntil ?? .min, right.graceUntil ?? .min)
            if first != second { return first > second }
            let (one, other) = (left.into ?? "~", right.into ?? "~")
            return one != other ? one < other : (left.consent ?? "~") < (right.consent ?? "~")
        }
        let later = said.filter { $0.signedAt > period.expiresAt }.map {
            (from: $0.signedAt, renewal: Renewal?.some($0))
        }
        return [(from: period.expiresAt, renewal: said.last { $0.signedAt <= period.expiresAt })] + later
    }

    /// The word about the last period that speaks at `instant`, before the end the one that will speak first.
    private func renewal(about period: Period, at instant: Int64) -> Renewal? {
        wordsOnEnd(of: period).last { $0.from <= max(instant, period.expiresAt) }?.renewal
    }

    /// What goes on after a period's expiry (rule 4): what the store grants, and the leeway.
    private func graces(of period: Period) -> [Range<Int64>] {
        guard !period.isReplaced else { return [] }
        let words = wordsOnEnd(of: period)
        return [false, true].flatMap { isLeeway in
            var stretches: [Range<Int64>] = []
            for (place, word) in words.enumerated() {
                let over = min(place + 1 < words.count ? words[place + 1].from : .max, period.next ?? .max)
                let (renewal, expiresAt) = (word.renewal, period.expiresAt)
                let granted = renewal?.end == nil ? renewal?.graceUntil : nil
                let mayFollow = renewal.map { $0.end == nil && !$0.isInRetry && $0.willRenew } ?? true
                let leeway = granted == nil && mayFollow ? expiresAt + min(Self.day, expiresAt - period.from) : nil
                guard let until = (isLeeway ? leeway : granted).map({ min($0, over) }), word.from < until else {
                    continue
                }
                for part in period.covered(from: word.from, until: until) {
                    if let last = stretches.last, last.upperBound == part.lowerBound {
                        stretches[stretches.count - 1] = last.lowerBound..<part.upperBound
                    } else {
                        stretches.append(part)
                    }
                }
            }
            return stretches
        }
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
        let graces = periods.flatMap { period in
            self.graces(of: period).map {
                ReadAnswer.Piece(
                    id: id, tier: Self.tiers[period.product]?.name ?? "", from: $0.lowerBound, until: $0.upperBound)
            }
        }
        return ReadAnswer(
            pieces: passes + windows,
            moments: instants.map { moment(at: $0, pieces: passes + windows, graces: graces, periods) })
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
        let renewal = isRefunded ? nil : renewal(about: last, at: instant)
        let covering = covered.last { $0.from <= instant && instant < $0.until }
        let isPaid = periods.contains { period in
            period.covered(from: period.from, until: period.until).contains { $0.contains(instant) }
        }
        // Of a period that ended before the last one began, grace and retry are told as its own state says.
        let ended = present.until <= instant && periods.contains { $0.from <= instant } ? present : last
        let said = ended.isRefunded(at: instant) || ended.isReplaced ? nil : self.renewal(about: ended, at: instant)
        let isInRetry =
            ended.expiresAt <= instant && instant < min(ended.next ?? .max, ended.expiresAt + 60 * Self.day)
            && said.map { $0.isInRetry && $0.willRenew } ?? false
        let isPast = instant >= last.expiresAt && covering == nil
        let willRenew =
            !isRefunded && !last.isReplaced && renewal?.willRenew ?? true && renewal?.end == nil
            && (!isPast || isInRetry)
        let state =
            isPaid
            ? "running"
            : covering != nil
                ? "grace"
                : instant < first.from
                    ? "queued"
                    : present.isRefunded(at: instant) ? "revoked" : isInRetry ? "billing_retry" : "finished"
        return ReadAnswer.Plan(
            product: present.product, state: state, willRenew: willRenew,
            renewsAs: willRenew ? renewal?.into ?? last.product : nil,
            graceEndsAt: said.flatMap { $0.end == nil ? $0.graceUntil : nil }.flatMap {
                $0 > ended.expiresAt ? $0 : nil
            },
            isInRetry: isInRetry, reason: isPast ? renewal?.end : nil,
            consent: renewal?.end == nil ? renewal?.consent : nil)
    }
}

extension Drawing {
    /// Returns the bars of the pass at `index`: it waits, runs, is paused in between, and loses what is taken back.
    static func bars(
        ofPass index: Int, of tier: Tier, length: Int64, in moment: Moment, beside lane: LaneRuns
    ) -> [Bar] {
        let purchase = moment.timeline.purchases[index]
        let runs = moment.timeline.plannedByPurchase[index].map(\.segment)
        let taken = takenTime(from: purchase, length: length, runs: runs)
        var bars: [Bar] = []
        func wait(_ kind: Bar.Kind, from start: Instant, to end: Instant) {
            for part in purchase.held([Interval(startsAt: start, endsAt: end)]) where start < end {
                let cause = lane.runner(at: part.startsAt, besides: index).map(Bar.Cause.behind)
                bars.append(Bar(kind, tier.id, from: part.startsAt, to: part.endsAt, cause: cause))
            }
        }
        let anchor = purchase.passes.first?.anchor ?? purchase.anchor
        if let first = runs.first?.startsAt ?? taken?.startsAt ?? purchase.tenures.last?.endsAt {
            wait(.waiting, from: anchor, to: first)
        }
        for (position, run) in runs.enumerated() {
            let kind: Bar.Kind = run.endsAt <= moment.at ? .finished : run.startsAt <= moment.at ? .running : .toCome
            let cause = lane.taken(at: run.startsAt, besides: purchase.key).map(Bar.Cause.freed)
            bars.append(Bar(kind, tier.id, from: run.startsAt, to: run.endsAt, cause: cause))
            guard position + 1 < runs.count else { continue }
            let next = runs[position + 1].startsAt
            if purchase.share.rises(at: run.endsAt) {
                bars.append(Bar(.cutOff, tier.id, from: run.endsAt, to: next, cause: purchase.takeback(by: run.endsAt)))
            } else {
                wait(.paused, from: run.endsAt, to: next)
            }
        }
        if let taken, let end = taken.endsAt {
            if let last = runs.last?.endsAt { wait(.paused, from: last, to: taken.startsAt) }
            let cause = purchase.takeback(by: taken.startsAt)
            bars.append(Bar(.cutOff, tier.id, from: taken.startsAt, to: end, cause: cause))
        }
        return bars
    }

    /// Returns the time of a pass that is taken back for good, drawn from the instant of the taking or the end of the
    /// last run on; nil if none is.
    private static func takenTime(from purchase: Purchase, length: Int64, runs: [Segment]) -> Interval? {
        guard let last = purchase.share.steps.last, last.share > 0, purchase.isHeld(at: last.startsAt) else {
            return nil
        }
        let before = purchase.tenures.last?.arrival?.ran ?? 0
        let ran = runs.reduce(before) { $0 + ($1.endsAt - $1.startsAt) }
        let rest = length - max(ran, Pass.paidLength(of: length, refunded: last.share))
        guard rest > 0 else { return nil }
        let risenAt = purchase.share.steps.last { purchase.share.rises(at: $0.startsAt) }?.startsAt ?? last.startsAt
        let start = max(risenAt, runs.last?.endsAt ?? purchase.anchor)
        return Interval(startsAt: start, endsAt: start + rest)
    }
}

extension Purchase {
    /// The party that had taken the purchase back by `instant`: an operator, if one had withdrawn it by then. No
    /// statement of the store undoes that (`semantics.md` §2).
    package func takeback(by instant: Instant) -> Drawing.Bar.Cause {
        withdrawnAt.map { $0 <= instant } ?? false ? .withdrawal : .refund
    }
}

extension Moment {
    var verdict: Verdict {
        if let access { return .access(access) }
        let active = addOns.filter { $0.state == .active }.map(\.productID)
        guard active.isEmpty else { return .addOns(active) }
        let last = deciding
        if last == nil, let (tier, end) = uncountedAccess { return .sandboxOnly(tier, until: end) }
        if let (index, reason) = newestRecorded(besidesSandbox: last != nil),
            timeline.purchases[index].boundAt >= last?.segment.endsAt ?? at
        {
            return .nothing(timeline.purchases[index].key, reason)
        }
        if let last { return .ended(end(of: last), of: last.segment.key, at: last.segment.endsAt) }
        if let next = coverage.first { return .toCome(next.segment.tier, from: next.segment.startsAt) }
        return (newestRecorded(besidesSandbox: false) ?? newestUseless).map { index, reason in
            .nothing(timeline.purchases[index].key, reason)
        } ?? .never
    }

    private var access: Verdict.Access? {
        guard let top, let until = reach.expiresAt, let deciding else { return nil }
        var then: [Drawing.Stretch] = []
        for stretch in Drawing.access(coverage) where stretch.startsAt >= until {
            guard stretch.tier != nil, stretch.startsAt == then.last?.endsAt ?? until else { break }
            then.append(stretch)
        }
        let other = covering.first { $0.isGrace && $0.segment.key != deciding.segment.key }
        return Verdict.Access(
            tier: top.segment.tier, until: until, then: then, basis: basis(of: deciding), grace: other.map { grace($0) }
        )
    }

    private func basis(of piece: Coverage) -> Verdict.Basis {
        let (segment, purchase) = (piece.segment, timeline.purchases[piece.purchase])
        guard !piece.isGrace else { return .grace(grace(piece)) }
        switch purchase.benefit {
        case .plan:
            guard purchase.key.source != .manual else { return .window(segment.key) }
            return .plan(segment.key, until: segment.endsAt, willRenew: willRenew(piece.purchase) ?? false)
        case .recorded, .pass, .addOn, .credits:
            var (end, then): (Instant, [PurchaseKey]) = (segment.endsAt, [])
            for next in coverage.lazy.filter({ $0.window == nil }).map(\.segment)
            where next.startsAt == end && next.tier == segment.tier {
                then.append(next.key)
                end = next.endsAt
            }
            return .pass(segment.key, until: segment.endsAt, then: then)
        }
    }

    private func grace(_ piece: Coverage) -> Verdict.Grace {
        Verdict.Grace(key: piece.segment.key, until: piece.segment.endsAt, isLeeway: piece.isLeeway)
    }

    /// The highest tier of what covers now without counting, and the end of it.
    private var uncountedAccess: (TierID, Instant)? {
        let pieces = pieces.lazy.flatMap(\.self).filter { piece in
            piece.covers(at) && !timeline.counts(piece.segment.key.environment)
        }
        return pieces.min { $0.segment.outranks($1.segment) }.map { ($0.segment.tier, $0.segment.endsAt) }
    }

    /// Returns the purchase that was bound last of those that are only recorded, with the reason. Purchases of the
    /// Sandbox that do not count are left out on request.
    private func newestRecorded(besidesSandbox: Bool) -> (index: Int, reason: Explanation.Reason)? {
        newest { $0.state == .recorded && !(besidesSandbox && $0.reason == .sandboxNotAllowed) }
    }

    /// The pass or plan that was bound last of those that give nothing, with the reason.
    private var newestUseless: (index: Int, reason: Explanation.Reason)? {
        newest { [.revoked, .finished].contains($0.state) }
    }

    private func newest(where isMeant: (Doing) -> Bool) -> (index: Int, reason: Explanation.Reason)? {
        let meant = timeline.purchases.indices.filter {
            isMeant(doings[$0]) && timeline.purchases[$0].boundAt <= at
        }
        guard let index = meant.max(by: { timeline.purchases[$0].boundAt < timeline.purchases[$1].boundAt }),
            let reason = doings[index].reason
        else { return nil }
        return (index, reason)
    }

    /// Returns the cause for which the coverage of `piece` ended.
    private func end(of piece: Coverage) -> Verdict.End {
        let purchase = timeline.purchases[piece.purchase]
        if purchase.isGone(at: at) { return .transferred }
        let takeback = purchase.takeback(by: piece.segment.endsAt)
        let isTaken = endsByTakeback(piece)
        switch purchase.benefit {
        case .pass(_, let length):
            guard isTaken else {
                return doings[piece.purchase].reason == .endedBeforeAttached ? .ranOutUnattached : .ranOut
            }
            let ran = timeline.ran(piece.purchase, by: at)
            return .takenBack(by: takeback, after: ran.before + ran.here, of: length)
        case .plan, .recorded, .addOn, .credits:
            if isTaken { return .takenBack(by: takeback, after: nil, of: nil) }
            if doings[piece.purchase].state == .billingRetry { return .paymentFailed }
            guard purchase.key.source != .manual else { return .ranOut }
            return .planEnded(planDetails(piece.purchase)?.expirationReason)
        }
    }
}

extension Timeline {
    /// Returns the handover that a transfer of the purchase at `index` would make.
    package func handover(of index: Int, at instant: Instant, cause: Handover.Cause) -> Handover {
        handover(of: index, at: instant, cause: cause) { lotState(of: $0, at: instant) }
    }

    /// Returns the handovers of the purchases at `positions`, and the number of steps that they took: pieces of
    /// coverage, and changes of purses. Each purse is folded once, however many of its lots go.
    package func handovers(
        of positions: [Int], at instant: Instant, cause: Handover.Cause
    ) -> (handovers: [Handover], steps: Int) {
        var folded: [Purse: PurseState] = [:]
        var steps = 0
        let handovers = positions.map { index in
            steps += plannedByPurchase[index].count
            return handover(of: index, at: instant, cause: cause) { lot in
                guard let facts = purses.first(where: { $0.positions[lot] != nil }), let position = facts.positions[lot]
                else { return nil }
                if let state = folded[facts.purse] { return state.lots[position] }
                steps += facts.changes.count
                let state = facts.state(at: instant)
                folded[facts.purse] = state
                return state.lots[position]
            }
        }
        return (handovers, steps)
    }

    private func handover(
        of index: Int, at instant: Instant, cause: Handover.Cause, findingLots lotState: (PurchaseKey) -> LotState?
    ) -> Handover {
        let purchase = purchases[index]
        switch purchase.benefit {
        case .pass:
            let ran = ran(index, by: instant)
            return Handover(cause: cause, ran: ran.before + ran.here)
        case .credits:
            return Handover(cause: cause, units: lotState(purchase.key)?.unitsToMove ?? 0)
        case .recorded, .addOn, .plan:
            return Handover(cause: cause)
        }
    }

    /// Returns how long the pass at `index` had run by `instant`, in milliseconds: with earlier owners before it came,
    /// and with this user since.
    func ran(_ index: Int, by instant: Instant) -> (before: Int64, here: Int64) {
        let tenures = purchases[index].tenures
        // The last tenure may begin later than `instant`, if a clock is ahead of ours. Then only the time with earlier
        // owners counts.
        guard let tenure = tenures.last(where: { $0.hasBegun(by: instant) }) else {
            return (tenures.last?.arrival?.ran ?? 0, 0)
        }
        let here = plannedByPurchase[index].reduce(Int64(0)) { ran, piece in
            let (startsAt, endsAt) = (piece.segment.startsAt, piece.segment.endsAt)
            guard tenure.hasBegun(by: startsAt), startsAt < instant else { return ran }
            return ran + (min(endsAt, instant) - startsAt)
        }
        return (tenure.arrival?.ran ?? 0, here)
    }

    /// True if nothing of the purchase at `index` is left to the user (`semantics.md` §5, rule 2). A pass that waits or
    /// is paused still has something left. A purchase that is only recorded does too, because it counts once the
    /// catalogue knows it. What begins at `end` or later does not count.
    func isInactive(_ index: Int, at instant: Instant, before end: Instant) -> Bool {
        let purchase = purchases[index]
        switch purchase.benefit {
        case .recorded: return false
        case .pass: return !plannedByPurchase[index].contains { $0.segment.endsAt > instant }
        case .plan(let windows):
            let graces = graces.filter { $0.purchase == index }
            return !(plannedByPurchase[index] + graces).contains {
                $0.segment.endsAt > instant && $0.segment.startsAt < end
            }
                && !windows.contains { $0.isSuspended(at: instant) || $0.isInRetry(at: instant) }
        case .addOn: return purchase.share.share(at: instant) > 0
        case .credits: return undrawnUnits(of: purchase.key, at: instant) == 0
        }
    }
}

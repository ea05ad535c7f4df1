extension Timeline {
    /// Returns the details of a transfer of the purchase at `index` at `instant`. Spent credits stay with the user who
    /// spent them.
    package func handover(of index: Int, at instant: Instant, cause: Handover.Cause) -> Handover {
        let purchase = purchases[index]
        switch purchase.benefit {
        case .pass:
            let ran = ran(index, by: instant)
            return Handover(cause: cause, ran: ran.before + ran.here)
        case .credits:
            return Handover(cause: cause, units: unitsToMove(of: purchase.key, at: instant))
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

/// The refunded share of a purchase's price, as a step function of time (`semantics.md` §2).
///
/// A track depends on the set of signed states alone. Neither the order in which the states arrive nor repeats change
/// it.
package struct ShareTrack: Hashable, Sendable {
    /// The share that holds from an instant on.
    package struct Step: Hashable, Sendable {
        package let startsAt: Instant
        package let share: Int

        package init(startsAt: Instant, share: Int) {
            self.startsAt = startsAt
            self.share = share
        }
    }

    /// The way in which a refund takes from a purchase.
    package enum Measure: Hashable, Sendable {
        /// The refund takes its share: of passes and credits.
        case share
        /// Any refund takes everything: windows and add-ons (`semantics.md` §3, §7).
        case whole
        /// Only a full refund takes anything, and then everything: add-ons from a source that refunds in parts.
        case all
    }

    /// The steps in ascending order; each has another share than the step before. Before the first step the share is 0.
    package let steps: [Step]

    /// The track of a purchase that was never refunded.
    package static let untouched = ShareTrack(raw: [])

    /// Makes the track of one transaction. The order of its `states` does not matter, and neither do repeats.
    package init(ofTransaction states: [VerifiedPurchase], measuring measure: Measure = .share) {
        guard states.contains(where: { $0.revocation != nil }) else {
            self = .untouched
            return
        }
        var steps: [Step] = []
        var lastUndoneAt: Instant?
        var isRevoked = false
        for state in states.sorted(by: Self.precedes) {
            let share = Self.share(of: state, measuring: measure)
            if let revocation = state.revocation {
                if revocation.revokedAt < state.signedAt, lastUndoneAt.map({ revocation.revokedAt > $0 }) ?? true {
                    Self.raise(&steps, to: share, from: revocation.revokedAt)
                }
            } else if isRevoked {
                lastUndoneAt = state.signedAt
            }
            isRevoked = state.revocation != nil
            Self.append(Step(startsAt: state.signedAt, share: share), to: &steps)
        }
        self.init(raw: steps)
    }

    /// Makes the track of one purchase: at every instant the largest share that any of its transactions shows. A
    /// restored copy is a transaction of its own (`semantics.md` §1).
    package init(of states: [VerifiedPurchase], measuring measure: Measure = .share) {
        guard states.contains(where: { $0.revocation != nil }) else {
            self = .untouched
            return
        }
        guard states.dropFirst().contains(where: { $0.transactionID != states[0].transactionID }) else {
            self.init(ofTransaction: states, measuring: measure)
            return
        }
        let transactions = Dictionary(grouping: states, by: \.transactionID)
        self = .largest(of: transactions.values.map { ShareTrack(ofTransaction: $0, measuring: measure) })
    }

    /// Makes the track of a full refund from `revokedAt` on, such as an operator's withdrawal.
    package init(revokedAt: Instant) {
        steps = [Step(startsAt: revokedAt, share: Revocation.fullShare)]
    }

    /// Returns the track that at every instant has the largest share of `tracks`.
    package static func largest(of tracks: [ShareTrack]) -> ShareTrack {
        let touched = tracks.filter { !$0.steps.isEmpty }
        guard touched.count > 1 else { return touched.first ?? .untouched }
        let changes = Set(touched.flatMap { $0.steps.map(\.startsAt) }).sorted()
        return ShareTrack(
            raw: changes.map { instant in
                Step(startsAt: instant, share: touched.reduce(0) { max($0, $1.share(at: instant)) })
            })
    }

    /// Returns the track of something that several payments paid together. The share is full while the payments that
    /// were refunded whole add up to at least `total`, else it is 0 (`semantics.md` §7, "Cards").
    ///
    /// - Parameter states: The states of the payments, each payment being a transaction.
    static func together(_ states: [VerifiedPurchase], of total: Int64) -> ShareTrack {
        let payments = Dictionary(grouping: states, by: \.transactionID).values.map { states in
            let amount = states.compactMap { $0.revocation?.payment }.max() ?? total
            return (amount: Int128(amount), track: ShareTrack(ofTransaction: states, measuring: .whole))
        }
        let changes = Set(payments.flatMap { $0.track.steps.map(\.startsAt) }).sorted()
        return ShareTrack(
            raw: changes.map { instant in
                let taken = payments.filter { $0.track.share(at: instant) > 0 }
                let isAll = !taken.isEmpty && taken.reduce(0) { $0 + $1.amount } >= Int128(total)
                return Step(startsAt: instant, share: isAll ? Revocation.fullShare : 0)
            })
    }

    /// The refunded share at `instant`, 0…100000.
    package func share(at instant: Instant) -> Int {
        steps.last { $0.startsAt <= instant }?.share ?? 0
    }

    /// Returns the parts of `[startsAt, endsAt)` in which nothing is refunded; an end of nil is for ever.
    package func untouchedParts(from startsAt: Instant, to endsAt: Instant?) -> [Interval] {
        parts(from: startsAt, to: endsAt) { $0 == 0 }
    }

    /// Returns the parts of `[startsAt, endsAt)` in which less than everything is refunded; an end of nil is for ever.
    package func notFullyRefundedParts(from startsAt: Instant, to endsAt: Instant? = nil) -> [Interval] {
        parts(from: startsAt, to: endsAt) { $0 < Revocation.fullShare }
    }

    private func parts(
        from startsAt: Instant, to endsAt: Instant?, where isOpen: (Int) -> Bool
    ) -> [Interval] {
        var parts: [Interval] = []
        var openedAt: Instant? = isOpen(share(at: startsAt)) ? startsAt : nil
        for step in steps where step.startsAt > startsAt {
            if let endsAt, step.startsAt >= endsAt { break }
            if let start = openedAt, !isOpen(step.share) {
                parts.append(Interval(startsAt: start, endsAt: step.startsAt))
                openedAt = nil
            } else if openedAt == nil, isOpen(step.share) {
                openedAt = step.startsAt
            }
        }
        guard let start = openedAt, endsAt.map({ start < $0 }) ?? true else { return parts }
        return parts + [Interval(startsAt: start, endsAt: endsAt)]
    }

    private init(raw steps: [Step]) {
        var distinct: [Step] = []
        for step in steps where step.share != distinct.last?.share ?? 0 { distinct.append(step) }
        self.steps = distinct
    }

    /// The order of states by `signedAt`. Ties: a state with a revocation last, then the larger share last, then the
    /// earlier `revokedAt` last.
    fileprivate static func precedes(_ left: VerifiedPurchase, _ right: VerifiedPurchase) -> Bool {
        if left.signedAt != right.signedAt { return left.signedAt < right.signedAt }
        guard let first = left.revocation, let second = right.revocation else {
            return left.revocation == nil && right.revocation != nil
        }
        let (smaller, larger) = (first.takenShare, second.takenShare)
        return smaller != larger ? smaller < larger : first.revokedAt > second.revokedAt
    }

    private static func share(of state: VerifiedPurchase, measuring measure: Measure) -> Int {
        guard let revocation = state.revocation else { return 0 }
        return switch measure {
        case .share: revocation.takenShare
        case .whole: Revocation.fullShare
        case .all: revocation.takenShare == Revocation.fullShare ? Revocation.fullShare : 0
        }
    }

    /// Raises the share to at least `share` from `instant` on.
    private static func raise(_ steps: inout [Step], to share: Int, from instant: Instant) {
        let position = steps.firstIndex { $0.startsAt >= instant } ?? steps.count
        let before = position > 0 ? steps[position - 1].share : 0
        for index in position..<steps.count {
            steps[index] = Step(startsAt: steps[index].startsAt, share: max(steps[index].share, share))
        }
        guard position == steps.count || steps[position].startsAt > instant else { return }
        steps.insert(Step(startsAt: instant, share: max(before, share)), at: position)
    }

    /// Appends a step. If the last step begins at the same instant, the new one takes its place.
    private static func append(_ step: Step, to steps: inout [Step]) {
        if steps.last?.startsAt == step.startsAt { steps.removeLast() }
        steps.append(step)
    }
}

extension Revocation {
    /// The share that the refund takes: all of it if the share is unclear (`semantics.md` §2).
    package var takenShare: Int { isUnclear ? Self.fullShare : share ?? Self.fullShare }

    /// True if the share is missing or out of range; operators see it as the anomaly `unclear_refund`.
    package var isUnclear: Bool { share.map { !(0...Self.fullShare).contains($0) } ?? true }
}

extension VerifiedPurchase {
    /// True if the newest state of any transaction among `states` shows a refund with an unclear share.
    static func isRefundUnclear(in states: [VerifiedPurchase]) -> Bool {
        states.contains { state in
            guard state.revocation?.isUnclear ?? false else { return false }
            return states.allSatisfy { other in
                other.transactionID != state.transactionID || !ShareTrack.precedes(state, other)
            }
        }
    }
}

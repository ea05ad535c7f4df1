/// The purchase that decides, wherever an answer names a single one: a list, the check or a sentence (`semantics.md`
/// §2).
package struct DecidingPurchase: Hashable, Sendable {
    /// The coverage by which the purchase decides.
    package let segment: Segment
    /// The plan id of the period; nil if the coverage is no period of a plan with one.
    package let planID: String?
    /// True if the coverage ends because of a refund or a withdrawal at that instant.
    package let endsByTakeback: Bool

    package var key: PurchaseKey { segment.key }
}

extension Moment {
    /// The coverage that decides: of what covers now at the highest rank, that of a plan that will renew, else what
    /// ends last. Without coverage now it is what covered last. Nil if the user has had no coverage yet.
    var deciding: Coverage? {
        guard let rank = top?.segment.tierRank else {
            return coverage.filter { $0.segment.endsAt <= at }.max { $0.yields(to: $1) }
        }
        let highest = covering.filter { $0.segment.tierRank == rank }
        let renewing = highest.filter { willRenew($0.purchase) == true }
        return (renewing.isEmpty ? highest : renewing).max { $0.yields(to: $1) }
    }

    var decidingPurchase: DecidingPurchase? {
        deciding.map { piece in
            DecidingPurchase(
                segment: piece.segment, planID: window(of: piece)?.planID, endsByTakeback: endsByTakeback(piece))
        }
    }

    func endsByTakeback(_ piece: Coverage) -> Bool {
        let share = window(of: piece)?.revocations ?? timeline.purchases[piece.purchase].share
        return share.rises(at: piece.segment.endsAt)
    }

    private func window(of piece: Coverage) -> Window? {
        piece.window.map { timeline.purchases[piece.purchase].windows[$0] }
    }
}

extension Coverage {
    /// True if `other` decides before this coverage: it ends later, or at the same time with the higher rank, else in
    /// the lane, of the source or with the id that comes first; of one purchase, the later window.
    fileprivate func yields(to other: Coverage) -> Bool {
        let (left, right) = (segment, other.segment)
        if left.endsAt != right.endsAt { return left.endsAt < right.endsAt }
        if left.tierRank != right.tierRank { return left.tierRank < right.tierRank }
        if left.lane != right.lane { return left.lane > right.lane }
        if left.key.source != right.key.source { return left.key.source > right.key.source }
        if left.key != right.key { return right.key.comesFirst(inTieWith: left.key) }
        return window ?? 0 < other.window ?? 0
    }
}

extension ShareTrack {
    /// True if the share is larger from `instant` on than before it.
    func rises(at instant: Instant) -> Bool { share(at: instant) > share(at: instant + -1) }
}

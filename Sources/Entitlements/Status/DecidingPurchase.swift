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
            return coverage.filter { $0.segment.endsAt <= at }.max { $0.segment.yields(to: $1.segment) }
        }
        let highest = covering.filter { $0.segment.tierRank == rank }
        let renewing = highest.filter { willRenew($0.purchase) == true }
        return (renewing.isEmpty ? highest : renewing).max { $0.segment.yields(to: $1.segment) }
    }

    var decidingPurchase: DecidingPurchase? {
        deciding.map { piece in
            let window = window(of: piece)
            let share = window?.revocations ?? timeline.purchases[piece.purchase].share
            return DecidingPurchase(
                segment: piece.segment, planID: window?.planID, endsByTakeback: share.rises(at: piece.segment.endsAt))
        }
    }

    /// Returns the window to which a piece of coverage belongs; nil for a pass.
    private func window(of piece: Coverage) -> Window? {
        let segment = piece.segment
        return timeline.purchases[piece.purchase].windows.last { window in
            guard window.tier.id == segment.tier else { return false }
            let parts =
                piece.isGrace
                ? window.grace(leewayHours: timeline.settings.renewalLeewayHours) : window.covered
            return parts.contains { part in
                part.startsAt <= segment.startsAt && part.endsAt.map { segment.endsAt <= $0 } ?? true
            }
        }
    }
}

extension Segment {
    /// True if `other` decides before this segment: it ends later, or at the same time with the higher rank, else in
    /// the lane, of the source or with the id that comes first.
    fileprivate func yields(to other: Segment) -> Bool {
        if endsAt != other.endsAt { return endsAt < other.endsAt }
        if tierRank != other.tierRank { return tierRank < other.tierRank }
        if lane != other.lane { return lane > other.lane }
        if key.source != other.key.source { return key.source > other.key.source }
        return other.key.comesFirst(inTieWith: key)
    }
}

extension ShareTrack {
    /// True if the share is larger from `instant` on than before it.
    func rises(at instant: Instant) -> Bool { share(at: instant) > share(at: instant + -1) }
}

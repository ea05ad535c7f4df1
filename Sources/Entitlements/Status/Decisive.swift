/// The coverage that decides the short answer (`api.md`, "Check").
package struct Decisive: Hashable, Sendable {
    package let key: PurchaseKey
    /// The plan id of the period; nil if the coverage is no period of a plan with one.
    package let planID: String?
    /// True if the coverage ends because of a refund or a withdrawal at that instant.
    package let endsByTakeback: Bool
}

extension Moment {
    /// The coverage of the highest rank now; of several with that rank, the coverage that ends last. Without coverage
    /// now it is the coverage that ended last. Nil if the user has had no coverage yet.
    var decisive: Decisive? {
        let piece =
            covering.max { left, right in
                let (first, second) = (left.segment, right.segment)
                return first.tierRank != second.tierRank
                    ? first.tierRank < second.tierRank : first.endsAt < second.endsAt
            } ?? coverage.filter { $0.segment.endsAt <= at }.max { $0.segment.endsAt < $1.segment.endsAt }
        return piece.map { piece in
            let purchase = timeline.purchases[piece.purchase]
            let window = window(of: piece)
            return Decisive(
                key: purchase.key, planID: window?.planID,
                endsByTakeback: (window?.revocations ?? purchase.share).rises(at: piece.segment.endsAt))
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

extension ShareTrack {
    /// True if the share is larger from `instant` on than before it.
    func rises(at instant: Instant) -> Bool { share(at: instant) > share(at: instant + -1) }
}
